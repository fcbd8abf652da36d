"""How often weights are gathered and gradients reduced, and how many lie whole after forward."""

from contextlib import nullcontext

import torch
from inside_torch.run.ranks import on_ranks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from watch import Model, Watch, shard

# region settings
SETTINGS = {
    "as it is": {},
    "kept": {"reshard_after_forward": False},
    "freed, the root too": {"reshard_after_forward": True},
    "a piece for two ranks": {"reshard_after_forward": 2},
    "one group": {"one": True},
    "the head a group too": {"head": True},
    "no synchronisation": {"sync": False},
    "no_grad": {"grad": False},
}


def build(mesh, *, one=False, head=False, sync=True, grad=True, **options) -> Model:
    model = Model(4)
    if head:
        fully_shard(model.head, mesh=mesh, **options)
    model = fully_shard(model, mesh=mesh, **options) if one else shard(model, mesh, **options)
    model.set_requires_gradient_sync(sync)
    return model


def work(rank: int) -> dict[str, list]:
    mesh = init_device_mesh("cpu", (4,))
    found = {}
    for name, options in SETTINGS.items():
        model = build(mesh, **options)
        with Watch() as watch, nullcontext() if options.get("grad", True) else torch.no_grad():
            loss = model(torch.ones(2, 4)).sum()
            forward = watch.take()
            whole = sum(not isinstance(one, torch.distributed.tensor.DTensor) for one in model.parameters())
            if loss.requires_grad:
                loss.backward()
            backward = watch.take()
        found[name] = [gathers(forward), whole, gathers(backward), sum("reduce" in one for one in backward)]
    return found


# endregion


def gathers(events: list[str]) -> int:
    return sum("gather" in one for one in events)


if __name__ == "__main__":
    print(f"{'':22}{'gathers':>8}{'left whole':>12}{'gathers in backward':>21}{'reductions':>12}")
    for name, (first, whole, again, reduced) in on_ranks(work, world=4)[0].items():
        print(f"{name:22}{first:8}{whole:12}{again:21}{reduced:12}")
