"""The same product twice, of operands that are both split by rows: what is asked, and what is sent."""

import os
import tempfile
from datetime import timedelta

import torch
from torch import Tensor, distributed, multiprocessing
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Shard


def operands(rank: int, folder: str) -> tuple[DTensor, DTensor]:
    """Joins the group, and makes what this rank multiplies."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    distributed.init_process_group(
        "gloo",
        init_method=f"file://{folder}/store",
        rank=rank,
        world_size=2,
        timeout=timedelta(seconds=100),
    )
    mesh = init_device_mesh("cpu", (2,))
    return tuple(DTensor.from_local(torch.ones(rows, 64), mesh, [Shard(0)]) for rows in (4, 32))


def other(folder: str) -> None:
    """Rank 1, in a fork: does the same, and waits in the collectives."""
    torch.set_num_threads(1)
    x, w = operands(1, folder)
    for _ in range(2):
        x @ w
    distributed.barrier()


folder = tempfile.TemporaryDirectory()
child = multiprocessing.get_context("fork").Process(target=other, args=(folder.name,), daemon=True)
child.start()
x, w = operands(0, folder.name)


# region path
def path() -> Tensor:
    x @ w
    return x @ w


# endregion

if __name__ == "__main__":
    y = path()
    print(y.placements, tuple(y.shape), "here", tuple(y.to_local().shape))
    distributed.barrier()
    child.join()
    distributed.destroy_process_group()
