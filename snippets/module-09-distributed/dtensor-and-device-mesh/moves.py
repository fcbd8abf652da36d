"""From one placement to another, on two ranks: which collective, if any."""

from functools import partial

import torch
from counting import issued, placed
from inside_torch.run.ranks import on_ranks
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Partial, Replicate, Shard
from torch.distributed.tensor._dtensor_spec import DTensorSpec
from torch.distributed.tensor._redistribute import redistribute_local_tensor

# region moves
PLACEMENTS = Shard(0), Shard(1), Replicate(), Partial()


def moves(rank: int) -> None:
    mesh = init_device_mesh("cpu", (2,))
    whole = torch.arange(16.0).reshape(4, 4)
    if rank == 0:
        print("from ", *(f"to {placement!s:14}" for placement in PLACEMENTS))
    for have in PLACEMENTS:
        row = []
        for want in PLACEMENTS:
            tensor = placed(whole, mesh, have)
            target = DTensorSpec(mesh, (want,), tensor_meta=tensor._spec.tensor_meta)
            try:
                _, sent = issued(
                    partial(redistribute_local_tensor, tensor._local_tensor, tensor._spec, target)
                )
            except RuntimeError as error:
                sent = "refused" if "not supported" in str(error) else str(error)
            row.append(sent)
        if rank == 0:
            print(f"{have!s:6}", *(f"{sent:17}" for sent in row))


# endregion

if __name__ == "__main__":
    on_ranks(moves)
