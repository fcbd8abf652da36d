"""What is held for 64 batches that are kept, by how they were shared."""

import gc
import os

import torch
import torch.multiprocessing as mp
from torch.utils.data import DataLoader


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


def files() -> int:
    """Those of this process and of its children, by the process id in their names."""
    family = {str(os.getpid()), *(str(child.pid) for child in mp.active_children())}
    return sum(name.split("_")[1] in family for name in os.listdir("/dev/shm") if name.startswith("torch_"))


def mappings() -> int:
    with open("/proc/self/maps") as maps:
        return sum("/dev/shm/torch_" in line for line in maps)


if __name__ == "__main__":
    # region look
    print("strategy         kept      descriptors  mappings  files")
    for strategy in "file_descriptor", "file_system":
        mp.set_sharing_strategy(strategy)
        loader = DataLoader([torch.ones(1)] * 64, num_workers=1, persistent_workers=True)
        list(loader)  # what the loader itself needs is there now
        before = descriptors()
        kept = list(loader)
        print(f"{strategy:15}  batches   {descriptors() - before:11}  {mappings():8}  {files():5}")
        kept = [batch.clone() for batch in kept]
        gc.collect()
        print(f"{strategy:15}  clones    {descriptors() - before:11}  {mappings():8}  {files():5}")
        del loader, kept
    # endregion
