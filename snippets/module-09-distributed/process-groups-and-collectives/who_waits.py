"""Who waits for an NCCL `all_reduce` that has not begun: the host, and which stream?"""

import torch
from one_rank import catch_up, join, lag
from torch import distributed as dist


# region ways
def nobody(data):
    return dist.all_reduce(data, async_op=True)


def synchronous(data):
    dist.all_reduce(data)


def wait_on_the_same(data):
    work = dist.all_reduce(data, async_op=True)
    work.wait()
    return work


def wait_on_main(data):
    work = dist.all_reduce(data, async_op=True)
    with torch.cuda.stream(main):
        work.wait()
    return work


def wait_on_side(data):
    work = dist.all_reduce(data, async_op=True)
    with torch.cuda.stream(side):
        work.wait()
    return work


def barrier(data):
    dist.barrier()


# endregion
def told(name, way):
    lag(slow)
    with torch.cuda.stream(slow):
        mark = slow.record_event()
        work = way(data)
    host = "waited" if mark.query() else "went on"
    waiting = [
        stream_name for stream_name, stream in {"main": main, "side": side}.items() if not stream.query()
    ]
    done = work.is_completed() if work else "-"
    print(f"{name:26}{host:10}{', '.join(waiting) or 'none':9}{done}")
    catch_up(slow)
    if work:
        assert work.is_completed()


if __name__ == "__main__":
    join()
    main, side, slow = torch.cuda.current_stream(), torch.cuda.Stream(), torch.cuda.Stream()
    data = torch.zeros(4, device="cuda")
    torch.cuda.synchronize()
    print(f"{'':26}{'host':10}{'waiting':9}is_completed()")
    told("async, no wait()", nobody)
    told("not async", synchronous)
    told("async, wait() on slow", wait_on_the_same)
    told("async, wait() on main", wait_on_main)
    told("async, wait() on side", wait_on_side)
    told("barrier()", barrier)
    dist.destroy_process_group()
