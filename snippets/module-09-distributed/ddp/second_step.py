"""The second step of DDP, which rebuilds the buckets and sends two of them."""

import os
import sys

import torch
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel

os.environ["GLOO_SOCKET_IFNAME"] = "lo0" if sys.platform == "darwin" else "lo"
distributed.init_process_group("gloo", store=distributed.HashStore(), rank=0, world_size=1)
ddp = DistributedDataParallel(
    nn.Sequential(nn.Linear(8, 8, bias=False), nn.Linear(8, 8, bias=False)),
    bucket_cap_mb=8 * 8 * 4 / (1 << 20),  # a bucket for each of the weights
)
ddp(torch.ones(1, 8)).sum().backward()


# region path
def path() -> None:
    loss = ddp(torch.ones(1, 8)).sum()
    loss.backward()


# endregion


if __name__ == "__main__":
    path()
    ddp(torch.ones(1, 8))  # the next forward tells of the step before
    told = ddp._get_ddp_logging_data()
    for name in "bucket_sizes", "rebuilt_bucket_sizes", "rebuilt_per_bucket_param_indices":
        print(name, told[name])
