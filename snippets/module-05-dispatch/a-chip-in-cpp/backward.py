"""Backward on the chip: which questions the engine asks, and on which thread the chip's kernel runs."""

import sys
import time
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus  # noqa: F401, registers the device

a = torch.tensor([1.0, 2.0, 3.0], device="abacus", requires_grad=True)
ones = torch.tensor([1.0, 1.0, 1.0], device="abacus")


def path():
    (a + a).backward(ones)


if __name__ == "__main__":
    path()
    print(a.grad.device, a.grad.tolist())
    time.sleep(
        0.5
    )  # the engine's thread for the chip lets go of its last task with the GIL, which must be there
