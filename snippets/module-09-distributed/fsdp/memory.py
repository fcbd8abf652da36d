"""The most memory of a step beside the shards, in weights, rounded to quarters, by setting."""

import gc
import inspect
import textwrap
from contextlib import contextmanager
from unittest.mock import patch

import torch
from streams import start
from torch import distributed, nn
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp._fully_shard import _fsdp_param_group
from watch import Model, shard

# region peak
SIZE = 1024  # a weight of 4 MiB: two of the allocator's large blocks


def peaks(model: Model) -> list[float]:
    """What a second step takes at most in forward and in backward, and what it leaves."""
    x = torch.zeros(2, SIZE, device="cuda")
    for _ in range(2):
        model.zero_grad()
        torch.cuda.synchronize()
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        loss = model(x).sum()
        forward = torch.cuda.max_memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        loss.backward()
        backward = torch.cuda.max_memory_allocated()
        del loss
        after = torch.cuda.memory_allocated()
    return [(taken - before) / (4 * SIZE * SIZE) for taken in (forward, backward, after)]


# endregion


# region settings
def build(mesh, count: int, *, way: str, buffers: int = 1, heads: int = 1, **options) -> Model:
    with torch.device("cuda"):
        model = Model(count, SIZE)
        model.head = nn.Linear(SIZE, heads * SIZE, bias=False)
    if way == "plain":
        return model
    if way == "head too":
        fully_shard(model.head, mesh=mesh, **options)
    model = fully_shard(model, mesh=mesh) if way == "one group" else shard(model, mesh, **options)
    model.set_reduce_scatter_max_input_buffers(buffers)
    return model


WAYS = {
    "not sharded": {"way": "plain"},
    "one group": {"way": "one group"},
    "as it is": {"way": ""},
    "kept after forward": {"way": "", "reshard_after_forward": False},
    "two buffers": {"way": "", "buffers": 2},
    "the head a group too": {"way": "head too"},
    "a head of four": {"way": "", "heads": 4},
    "of four, a group too": {"way": "head too", "heads": 4},
}
# endregion


# region name
@contextmanager
def name_dropped():
    """`wait_for_unshard`, with a `del` of the name that still holds the buffer of the group before."""
    group, line = _fsdp_param_group.FSDPParamGroup, "self.comm_ctx.all_gather_state = None"
    code = textwrap.dedent(inspect.getsource(inspect.unwrap(group.wait_for_unshard)))
    assert line in code
    made = {}
    exec(code.replace(line, f"{line}; del prev_all_gather_state", 1), vars(_fsdp_param_group), made)
    with patch.object(group, "wait_for_unshard", made["wait_for_unshard"]):
        yield


# endregion


def row(mesh, name: str, options: dict) -> None:
    cells = ""
    for count in 4, 12:
        taken = peaks(build(mesh, count, **options))
        cells += "".join(f"{round(4 * one) / 4:8.2f}" for one in taken)
        gc.collect()
    print(f"{name:22}{cells}")


def main() -> None:
    mesh = start()
    print(f"{'':22}{'4 blocks':>24}{'12 blocks':>24}")
    print(f"{'':22}" + f"{'forward':>8}{'back':>8}{'left':>8}" * 2)
    for name, options in WAYS.items():
        row(mesh, name, options)
    with name_dropped():
        row(mesh, "a name dropped", {"way": ""})
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
