"""The training of parameter_server.py with collectives: all weights on each rank, then a part of them."""

import torch
from inside_torch.run.ranks import on_ranks
from parameter_server import RATE, STEPS, TRAINERS, by_server, gradient
from torch import distributed


# region replicated
def replicated(rank):
    """Each rank has all weights and makes the same step, as DDP has it."""
    weight = torch.zeros(3, dtype=torch.float64)
    for _ in range(STEPS):
        grad = gradient(weight, rank)
        distributed.all_reduce(grad)
        weight = weight - RATE * grad / TRAINERS
    return weight


# endregion


# region sharded
def sharded(rank):
    """Each rank is the server of its part of the weights, as FSDP has it."""
    part = torch.zeros(2, dtype=torch.float64)  # of three weights, and one for padding
    for step in range(STEPS + 1):
        whole = torch.empty(2 * TRAINERS, dtype=torch.float64)
        distributed.all_gather_single(whole, part)  # pull
        if step == STEPS:
            return whole[:3]
        grad = torch.nn.functional.pad(gradient(whole[:3], rank), (0, 1))
        mine = torch.empty_like(part)
        distributed.reduce_scatter_single(mine, grad)  # push
        part = part - RATE * mine / TRAINERS


# endregion


if __name__ == "__main__":
    served = by_server()["trainer0"][0]
    for work in replicated, sharded:
        weights = on_ranks(work, TRAINERS)
        same = all(torch.allclose(one, served, rtol=1e-12, atol=0) for one in weights)
        print(f"{work.__name__}: the weights of the parameter server on both ranks: {same}")
