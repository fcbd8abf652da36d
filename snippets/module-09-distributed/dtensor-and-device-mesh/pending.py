"""A sum that is still to be made, `p`: which operators leave it so, and which ask for it."""

from functools import partial

import torch
from counting import issued, placed, short
from inside_torch.run.ranks import on_ranks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Partial, Replicate

# region calls
CALLS = {
    "p * 2": lambda p, r: p * 2,
    "-p": lambda p, r: -p,
    "p.t()": lambda p, r: p.t(),
    "p.sum()": lambda p, r: p.sum(),
    "p + p": lambda p, r: p + p,
    "p + r": lambda p, r: p + r,
    "p + tensor(1.)": lambda p, r: p + torch.tensor(1.0),
    "p + 1": lambda p, r: p + 1,
    "p.relu()": lambda p, r: p.relu(),
    "p.max()": lambda p, r: p.max(),
    "p.clone()": lambda p, r: p.clone(),
    "p * r": lambda p, r: p * r,
    "p * p": lambda p, r: p * p,
    "p == p": lambda p, r: p == p,
    "equal(p, p)": lambda p, r: torch.equal(p, p),
}


def calls(rank: int) -> None:
    mesh = init_device_mesh("cpu", (2,))
    whole = torch.arange(4.0).reshape(2, 2) - 1
    for name, call in CALLS.items():
        p, r = placed(whole, mesh, Partial()), placed(whole, mesh, Replicate())
        result, sent = issued(partial(call, p, r))
        if isinstance(result, torch.Tensor):
            placement, right = short(result.placements), torch.equal(result.full_tensor(), call(whole, whole))
        else:
            placement, right = "no tensor", result
        if rank == 0:
            print(f"{name:15} {placement:10} {sent:27} right: {right}")


# endregion

if __name__ == "__main__":
    on_ranks(calls)
