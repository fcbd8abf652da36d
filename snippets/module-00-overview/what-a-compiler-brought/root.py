"""The square root alone, a loop of eager's and one of Inductor's: nothing to fuse, no temporary tensor."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))
from pool import best


def root(x):
    """One of the eight operators of the chain."""
    return x.sqrt()


def measure():
    """Eager over compiled, on one thread; eager writes into memory that is there, compiled code allocates."""
    torch.set_num_threads(1)
    x = torch.rand(1_000_000)
    result = torch.empty_like(x)
    times = best({"eager": (lambda x: torch.sqrt(x, out=result), x), "compile": (torch.compile(root), x)})
    return {"compile": round(times["eager"] / times["compile"], 1)}


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:16} {value}")
