"""Blocks of 2 MiB and more on huge pages, which an environment variable asks for."""

import os

os.environ["THP_MEM_ALLOC_ENABLE"] = "1"

import torch

if __name__ == "__main__":
    for size in 2**21 - 1, 2**21, 2**26:
        block = torch.empty(size, dtype=torch.uint8, device="cpu")
        print(f"{size:8}", "on a page" if block.data_ptr() % 4096 == 0 else "not on a page")
