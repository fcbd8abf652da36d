"""Two linear layers, split by a plan: what a forward and a backward send."""

import torch
from counting import issued, short
from inside_torch.run.ranks import on_ranks
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module


# region plan
def plan(rank: int) -> None:
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 4))
    x = torch.ones(2, 4, requires_grad=True)
    plain = model(x)
    parallelize_module(model, mesh, {"0": ColwiseParallel(), "2": RowwiseParallel()})
    y, forward = issued(lambda: model(x))
    _, backward = issued(lambda: y.sum().backward())
    _, without = issued(model(x.detach()).sum().backward)
    if rank == 0:
        for name, parameter in model.named_parameters():
            print(f"{name:9} {short(parameter.placements):5} {tuple(parameter.to_local().shape)}", end="  ")
            print("gradient", short(parameter.grad.placements))
        print("forward ", forward)
        print("backward", backward, "| with no gradient for x", without)
        print("a DTensor comes out:", hasattr(y, "placements"), "| as before:", torch.allclose(y, plain))


# endregion

if __name__ == "__main__":
    on_ranks(plan)
