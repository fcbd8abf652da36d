"""`a + b` on the chip: from Python to the kernel in our own library."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus

a = torch.tensor([1.0, 2.0, 3.0], device="abacus", requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0], device="abacus")


def path():
    return a + b


if __name__ == "__main__":
    abacus.fallbacks()
    c = path()
    print(c.device, c.tolist(), c.grad_fn.name(), abacus.fallbacks())
