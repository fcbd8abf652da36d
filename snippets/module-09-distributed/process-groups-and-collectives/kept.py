"""A tensor is reduced by NCCL, and the host drops it: when is its memory given to the next one?"""

import time

import torch
from one_rank import catch_up, join, keep_blocks, lag, new
from torch import distributed as dist


# region ways
def synchronous(x):
    with torch.cuda.stream(main):
        dist.all_reduce(x)


def waited_on_main(x):
    work = dist.all_reduce(x, async_op=True)
    with torch.cuda.stream(main):
        work.wait()


def waited_and_work_kept(x):
    work = dist.all_reduce(x, async_op=True)
    with torch.cuda.stream(main):
        work.wait()
    return work


def waited_on_side(x):
    work = dist.all_reduce(x, async_op=True)
    with torch.cuda.stream(side):
        work.wait()


def never_waited(x):
    dist.all_reduce(x, async_op=True)


# endregion


def given(address: int) -> bool:
    return new().data_ptr() == address


def given_after_a_collective(address: int) -> bool:
    for _ in range(100):  # the watchdog, which looks ten times a second, has to see the end first
        dist.all_reduce(small)
        if given(address):
            return True
        time.sleep(0.05)
    return False


def told(name: str, way) -> None:
    lags = main if way is synchronous else slow
    slow.wait_stream(main)
    x = new()
    address = x.data_ptr()
    lag(lags)
    with torch.cuda.stream(slow):
        work = way(x)
    del x
    at_once, main_waits = given(address), not main.query()
    catch_up(lags)
    time.sleep(0.3)
    seen = at_once, main_waits, given(address), given_after_a_collective(address)
    print(f"{name:22}", *(f"{one!s:10}" for one in seen))
    del work


if __name__ == "__main__":
    join()
    main, side, slow = torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()
    small = torch.zeros(4, device="cuda")
    keep_blocks(4)
    print(f"{'':22} {'given at':10} {'main then':10} {'given when':10} given after")
    print(f"{'':22} {'once':10} {'waits':10} {'done':10} another one")
    told("not async", synchronous)
    told("wait() on main", waited_on_main)
    told("wait() on side", waited_on_side)
    told("no wait()", never_waited)
    told("wait(), Work kept", waited_and_work_kept)
    dist.destroy_process_group()
