"""Two ranks of gloo that do not call the same thing: what comes of it, plain and with DETAIL."""

import resource
import time
from datetime import timedelta

import torch
from inside_torch.run.ranks import on_ranks
from torch import distributed as dist
from torch.multiprocessing import ProcessExitedException

SUM, MAX = dist.ReduceOp.SUM, dist.ReduceOp.MAX
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # one rank below is killed; it need not leave its memory


# region cases
def types(rank, group):
    data = torch.ones(4, dtype=(torch.float32, torch.int32)[rank])
    dist.all_reduce(data, group=group)


def shapes(rank, group):
    data = torch.ones((4, 1) if rank == 0 else (2, 2))
    dist.all_reduce(data, group=group)


def transposed(rank, group):
    data = torch.ones(2, 2)
    dist.all_reduce(data if rank == 0 else data.t(), group=group)


def operations(rank, group):
    dist.all_reduce(torch.ones(4), op=(SUM, MAX)[rank], group=group)


def tensors_swapped(rank, group):
    first, second = torch.ones(4), torch.full((4,), 10.0)
    for data in (first, second) if rank == 0 else (second, first):
        dist.all_reduce(data, group=group)


def calls_swapped(rank, group):
    calls = [dist.all_reduce, lambda data, group: dist.broadcast(data, 0, group)]
    for call in calls if rank == 0 else calls[::-1]:
        call(torch.ones(4), group=group)


def roots(rank, group):
    dist.broadcast(torch.ones(4), rank, group=group)


def one_missing(rank, group):
    if rank == 0:
        dist.all_reduce(torch.ones(4), group=group)


def sizes(rank, group):
    dist.all_reduce(torch.ones(4 + 2 * rank), group=group)


# endregion
KNOWN = {
    "Timed out": "gave up",
    "Connection": "gave up",  # the other did, a moment before
    "Detected mismatch": "mismatch detected",
    "Ranks 1 failed": "rank 1 named",
}


def outcome(case, level) -> str:
    # The ranks meet first, and hurry only where they wait in vain: a busy machine may hold one up.
    plain = level == dist.DebugLevel.OFF
    in_vain = case in (roots, one_missing) or (case is calls_swapped and plain)

    def work(rank):
        dist.set_debug_level(level)
        dist.barrier()
        group = dist.new_group(timeout=timedelta(seconds=3 if in_vain else 60))
        dist.barrier()
        try:
            case(rank, group)
        except RuntimeError as error:
            if case is sizes and plain:
                time.sleep(60)  # the other is killed, and is to be seen first; this one is then ended
            return next(word for start, word in KNOWN.items() if start in str(error))
        return "no error"

    try:
        zero, one = on_ranks(work)
    except ProcessExitedException as error:
        return error.signal_name
    return zero if zero == one else f"{zero} | {one}"


if __name__ == "__main__":
    print(f"{'':17}{'plain':20}DETAIL")
    for case in (
        types,
        shapes,
        transposed,
        operations,
        tensors_swapped,
        calls_swapped,
        roots,
        one_missing,
        sizes,
    ):
        plain, detail = (outcome(case, level) for level in (dist.DebugLevel.OFF, dist.DebugLevel.DETAIL))
        print(f"{case.__name__:17}{plain:20}{detail}")
