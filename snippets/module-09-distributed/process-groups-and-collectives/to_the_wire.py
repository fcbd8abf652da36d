"""An asynchronous `all_reduce` of two ranks, from the call to the socket: rank 0 here, rank 1 a fork."""

import os
import tempfile
from datetime import timedelta
from pathlib import Path

import torch
from torch import distributed as dist

os.environ["GLOO_SOCKET_IFNAME"] = "lo"


def join(rank: int, folder: str) -> None:
    """Become a rank of a group of two."""
    store = dist.FileStore(str(Path(folder) / "store"), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2, timeout=timedelta(seconds=60))


# region path
def path():
    ours = torch.full((4,), 1.0)
    work = dist.all_reduce(ours, async_op=True)
    work.wait()
    return ours


# endregion

folder = tempfile.mkdtemp()
if (other := os.fork()) == 0:
    join(1, folder)
    dist.all_reduce(torch.full((4,), 2.0))
    dist.barrier()
    os._exit(0)
join(0, folder)

if __name__ == "__main__":
    print(path().tolist())
    dist.barrier()
    dist.destroy_process_group()
    os.waitpid(other, 0)
