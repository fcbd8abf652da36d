"""Which collectives a call issues, and DTensors made with none, for what this page runs."""

from collections.abc import Callable
from typing import Any

import torch
from inside_torch.run.ranks import on_ranks
from torch import Tensor
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard
from torch.distributed.tensor.debug import CommDebugMode

SHORT = {"all_gather_into_tensor": "all_gather", "reduce_scatter_tensor": "reduce_scatter"}


# region count
def issued(call: Callable[[], Any]) -> tuple[Any, str]:
    """What `call()` returned, and the collectives that this rank issued in it, or a dash."""
    with CommDebugMode() as mode:
        returned = call()
    counts = {str(operator).rpartition(".")[2]: count for operator, count in mode.get_comm_counts().items()}
    words = [SHORT.get(name, name) + f" x{count}" * (count > 1) for name, count in sorted(counts.items())]
    return returned, " + ".join(words) or "-"


def placed(whole: Tensor, mesh: DeviceMesh, placement: Placement) -> DTensor:
    """`whole` as a DTensor on a mesh of one dimension, from what this rank holds of it; nothing is sent."""
    rank, size = mesh.get_local_rank(), mesh.size()
    if placement.is_shard():
        whole = whole.chunk(size, placement.dim)[rank].contiguous()
    elif placement.is_partial():  # the parts sum to the whole
        whole = whole * (size if rank == 0 else -1)
    return DTensor.from_local(whole, mesh, [placement])


# endregion


def short(placements: tuple[Placement, ...]) -> str:
    """Placements as PyTorch abbreviates them: S(0), R, P(sum)."""
    return " ".join(map(str, placements))


def show(rank: int) -> None:
    mesh = init_device_mesh("cpu", (2,))
    for placement in Shard(0), Replicate(), Partial():
        tensor = placed(torch.arange(1.0, 5.0), mesh, placement)
        _, sent = issued(tensor.full_tensor)
        print(rank, f"{placement!s:6} holds {tensor.to_local().tolist()!s:25} whole by: {sent}")


if __name__ == "__main__":
    on_ranks(show)
