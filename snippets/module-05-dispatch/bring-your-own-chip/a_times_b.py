"""`a * b` on the chip, which cannot multiply: through the fallback to the CPU and back."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "a-chip-in-cpp/abacus"))
import abacus

a = torch.tensor([1.0, 2.0, 3.0], device="abacus", requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0], device="abacus")


def path():
    return a * b


if __name__ == "__main__":
    before = abacus.commands()
    c = path()
    commands = abacus.commands() - before
    print(c.device, c.tolist(), c.grad_fn.name())
    print(abacus.fallbacks(), commands, "commands")
