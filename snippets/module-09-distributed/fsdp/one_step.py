"""The second step of a model of one block and a head, on one of two ranks; the other is a fork."""

import os
import sys
import tempfile
from datetime import timedelta
from pathlib import Path

import torch
from torch import distributed
from torch.distributed.device_mesh import init_device_mesh
from watch import Model, shard

os.environ["GLOO_SOCKET_IFNAME"] = "lo0" if sys.platform == "darwin" else "lo"
store = Path(tempfile.mkdtemp()) / "store"
other = os.fork()
rank = 0 if other else 1
torch.set_num_threads(1)  # here, for after a fork two threads must not be the first to ask for the pool
distributed.init_process_group(
    "gloo", init_method=f"file://{store}", rank=rank, world_size=2, timeout=timedelta(seconds=280)
)

# region path
model = shard(Model(count=1), init_device_mesh("cpu", (2,)))
x = torch.ones(2, 4, requires_grad=True)
model(x).sum().backward()


def path() -> None:
    loss = model(x).sum()
    loss.backward()


# endregion

if rank == 1:
    path()
    os._exit(0)

if __name__ == "__main__":
    path()
    os.waitpid(other, 0)
    print("gradients:", *(list(weight.grad.to_local().shape) for weight in model.parameters()))
