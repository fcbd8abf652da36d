"""What this article says of many pairs of tensors, all operators, and the streams of NCCL's collectives."""

import inspect
import json
import os
import random
import sys
import tempfile
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).with_name("exercises") / "two-ranks-of-gloo"))
os.environ.setdefault("DRY_GPU_LOG", str(Path(tempfile.mkdtemp()) / "log"))

import torch
from inside_torch.claims import counted
from inside_torch.run.ranks import on_ranks
from solution import two_ranks
from torch import distributed as dist


# region against gloo
def pairs() -> dict[str, int]:
    return {f"pair {seed}": seed for seed in range(400)}


def pair(seed: int):
    """Two tensors of as many bytes each, and two operations."""
    choose = random.Random(seed)
    types = choose.choice(
        [
            (torch.float32, torch.float32),
            (torch.float32, torch.int32),
            (torch.int32, torch.float32),
            (torch.float64, torch.int64),
            (torch.int64, torch.int64),
            (torch.uint8, torch.int8),
            (torch.bfloat16, torch.float16),
        ]
    )
    size, numbers = choose.randint(1, 64), torch.Generator().manual_seed(seed)
    tensors = [(torch.rand(size, generator=numbers) * 50).to(kind) for kind in types]
    return tensors, [choose.choice(["SUM", "MAX", "MIN", "PRODUCT"]) for _ in types]


@cache
def what_gloo_left() -> list[list[torch.Tensor]]:
    """For each rank, its tensor of each pair after `all_reduce`: one pair of processes for all of them."""

    def work(rank: int) -> list[torch.Tensor]:
        left = []
        for seed in pairs().values():
            tensors, operations = pair(seed)
            dist.all_reduce(tensors[rank], op=getattr(dist.ReduceOp, operations[rank]))
            left.append(tensors[rank])
        return left

    return on_ranks(work)


def another_operation() -> int:
    return -1


@counted(pairs, planted=another_operation, minimum=400, build="cpu")
def two_ranks_leave_these_bytes(seed: int) -> bool:
    """What two ranks of gloo have after `all_reduce` is what the solution of the exercise computes."""
    tensors, operations = pair(abs(seed))
    if seed < 0:
        operations[0] = "MIN" if operations[0] != "MIN" else "MAX"
    ours = two_ranks(*tensors, *operations)
    theirs = [left[abs(seed)] for left in what_gloo_left()]
    return all(
        torch.equal(a.view(torch.uint8), b.view(torch.uint8)) for a, b in zip(ours, theirs, strict=True)
    )


# endregion


def operators_of_c10d() -> list[str]:
    return [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("c10d::")]


@counted(operators_of_c10d, planted="aten::cudnn_convolution", minimum=20, build="cpu")
def a_kernel_for_the_cpu_and_none_for_autograd(name: str) -> bool:
    """Every operator `c10d::…` has a kernel for the CPU, and none has one for autograd."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    keys = "Autograd", "AutogradCPU", "AutogradCUDA", "CompositeImplicitAutograd"
    return has(name, "CPU") and not any(has(name, key) for key in keys)


def functions_with_async_op() -> dict[str, object]:
    named = {name: getattr(dist.distributed_c10d, name) for name in dist.distributed_c10d.__all__}
    functions = {name: one for name, one in named.items() if inspect.isfunction(one)}
    return {name: one for name, one in functions.items() if "async_op" in inspect.signature(one).parameters}


def by_default(data, group=None, async_op=True):
    """What no collective is: asynchronous by default."""


@counted(functions_with_async_op, planted=lambda: by_default, minimum=10)
def not_asynchronous_by_default(function) -> bool:
    """A collective of `torch.distributed` is asynchronous only if it is told to be."""
    return inspect.signature(function).parameters["async_op"].default is False


# region streams
def collectives() -> dict[str, object]:
    few, many = torch.zeros(4, device="cuda"), torch.zeros(16, device="cuda")
    parts = list(many.chunk(4))
    calls = {
        "all_reduce": lambda **how: dist.all_reduce(few, **how),
        "broadcast": lambda **how: dist.broadcast(few, 0, **how),
        "reduce": lambda **how: dist.reduce(few, 0, **how),
        "all_gather": lambda **how: dist.all_gather(parts, few, **how),
        "all_gather_single": lambda **how: dist.all_gather_single(many, few, **how),
        "gather": lambda **how: dist.gather(few, parts, 0, **how),
        "scatter": lambda **how: dist.scatter(few, parts, 0, **how),
        "reduce_scatter": lambda **how: dist.reduce_scatter(few, parts, **how),
        "reduce_scatter_single": lambda **how: dist.reduce_scatter_single(few, many, **how),
        "send": lambda async_op=False: (dist.isend if async_op else dist.send)(few, 1),
        "recv": lambda async_op=False: (dist.irecv if async_op else dist.recv)(few, 1),
    }
    return calls


@cache
def joined() -> None:
    dist.init_process_group("nccl", store=dist.HashStore(), rank=0, world_size=4)


def calls_of(work) -> list[dict]:
    log = Path(os.environ["DRY_GPU_LOG"])
    begin = log.stat().st_size
    work()
    lines = [json.loads(line) for line in log.read_bytes()[begin:].splitlines()]
    return [line for line in lines if line["thread"] == "python"]


def number_of(stream: torch.cuda.Stream) -> int:
    return calls_of(lambda: stream.record_event())[0]["stream"]


def streams_of(collective, **how) -> tuple[set[int], bool]:
    """The streams that NCCL is given, and whether a stream was made to wait."""
    calls = calls_of(lambda: collective(**how))
    nccl = {call["stream"] for call in calls if call["call"].startswith("nccl") and "stream" in call}
    return nccl, any(call["call"] == "cudaStreamWaitEvent" for call in calls)


def by_another_stream():
    def all_reduce(async_op=False):
        with torch.cuda.stream(torch.cuda.Stream()):
            return dist.all_reduce(torch.zeros(4, device="cuda"), async_op=async_op)

    return all_reduce


@counted(
    collectives, planted=by_another_stream, minimum=11, build="dry", exceptions="they are asynchronous inside"
)
def on_the_current_stream(collective) -> bool:
    """A collective that is not asynchronous is given to NCCL on the current stream, with no wait; an
    asynchronous one on another, which waits for the current one."""
    joined()
    side = torch.cuda.Stream()
    for stream in torch.cuda.current_stream(), side:
        number = number_of(stream)
        with torch.cuda.stream(stream):
            streams_of(collective)  # the first one may make a communicator
            if streams_of(collective) != ({number}, False):
                return False
            others, waited = streams_of(collective, async_op=True)
            if not others or number in others or not waited:
                return False
    return True


def a_barrier():
    return lambda async_op=False: dist.barrier()


@counted(collectives, planted=a_barrier, minimum=11, build="dry")
def the_host_goes_on(collective) -> bool:
    """The host waits for no collective, asynchronous or not, of a communicator that is there."""
    joined()
    collective()
    asked = calls_of(collective) + calls_of(lambda: collective(async_op=True))
    return not any("Synchronize" in call["call"] for call in asked)


# endregion
