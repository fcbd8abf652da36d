"""The running example, and what `fully_shard` does with its weights, one word for each event."""

from contextlib import ExitStack
from unittest.mock import patch

import torch
from inside_torch.run.ranks import on_ranks
from torch import nn
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.fsdp._fully_shard import _fsdp_param, _fsdp_param_group
from torch.utils._python_dispatch import TorchDispatchMode


# region model
class Model(nn.Module):
    """Blocks of one weight each, and a head."""

    def __init__(self, count: int = 3, size: int = 4) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(nn.Linear(size, size, bias=False) for _ in range(count))
        self.head = nn.Linear(size, size, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return self.head(x)


def shard(model: Model, mesh: DeviceMesh, **options) -> Model:
    """A group for each block, and one for what is left: the head."""
    for block in model.blocks:
        fully_shard(block, mesh=mesh, **options)
    return fully_shard(model, mesh=mesh, **options)


# endregion


class Watch(TorchDispatchMode):
    """Notes each gather, copy out, use, free and reduction of a gathered weight, by the name of its group."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.known: list[_fsdp_param.FSDPParam] = []

    def take(self) -> list[str]:
        """What was seen since the last time."""
        seen, self.seen = self.seen, []
        return seen

    def note(self, what: str, params: list[_fsdp_param.FSDPParam]) -> None:
        self.seen.append(f"{what} {params[0]._param_fqn.removeprefix('blocks.').split('.')[0]}")

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.mm.default:
            read = {one.untyped_storage().data_ptr() for one in args} - {0}
            for param in self.known:
                whole = [one.untyped_storage().data_ptr() for one in param.all_gather_outputs]
                if read.intersection(whole):
                    self.note("use", [param])
        return func(*args, **(kwargs or {}))

    def __enter__(self):
        self.patches = ExitStack()
        self._watch("foreach_all_gather", "gather", 0)
        self._watch("foreach_all_gather_copy_out", "out", 1)
        self._watch("foreach_reduce", "reduce", 0)
        free = _fsdp_param.FSDPParam.free_unsharded_param

        def freed(param: _fsdp_param.FSDPParam) -> None:
            if any(one.untyped_storage().size() for one in param.all_gather_outputs):
                self.note("free", [param])
            free(param)

        self.patches.enter_context(patch.object(_fsdp_param.FSDPParam, "free_unsharded_param", freed))
        return super().__enter__()

    def _watch(self, name: str, what: str, place: int) -> None:
        """Notes each call of a function of the group, whose parameters are the argument at this place."""
        real = getattr(_fsdp_param_group, name)

        def noted(*args):
            self.note(what, args[place])
            result = real(*args)
            self.known += [one for one in args[place] if one not in self.known]
            return result

        self.patches.enter_context(patch.object(_fsdp_param_group, name, noted))

    def __exit__(self, *error):
        super().__exit__(*error)
        self.patches.close()


# region step
def work(rank: int) -> tuple[list[str], list[str]]:
    model = shard(Model(), init_device_mesh("cpu", (2,)))
    with Watch() as watch:
        loss = model(torch.ones(2, 4)).sum()
        forward = watch.take()
        loss.backward()
        return forward, watch.take()


# endregion


def lines(events: list[str]) -> str:
    """The events, with a new line before each gather."""
    return ", ".join(events).replace(", gather", "\n  gather")


if __name__ == "__main__":
    (forward, backward), other = on_ranks(work)
    print(f"forward\n  {lines(forward)}\nbackward\n  {lines(backward)}")
    print("rank 1 did the same:", other == (forward, backward))
