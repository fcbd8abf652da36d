"""What does it cost to hand a gradient from one thread to another?

A chain whose nodes alternate between the CPU and an accelerator that holds no data is run backward twice: as
it is, so that every gradient changes thread, and with multithreading off, so that none does.
"""

import os
import time

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the accelerator is one of our own

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

LENGTH = 400
ROUNDS = 15


class Move(torch.autograd.Function):
    """The same amount of Python on either device, and no data."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        return empty("toy" if x.device.type == "cpu" else "cpu")

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        return empty("toy" if grad.device.type == "cpu" else "cpu")


def empty(device: str) -> torch.Tensor:
    """A tensor of two elements on the CPU or on the device `toy`."""
    if device == "cpu":
        return torch.zeros(2, device="cpu")
    return torch._C._acc.create_empty_tensor((2,), torch.float32)


# region time
def seconds() -> float:
    """The time that one backward through the chain takes, the least of several."""
    best = float("inf")
    for _ in range(ROUNDS):
        y = torch.zeros(2, device="cpu", requires_grad=True)
        for _ in range(LENGTH):
            y = Move.apply(y)
        start = time.perf_counter()
        y.backward(empty("cpu"))
        best = min(best, time.perf_counter() - start)
    return best


# endregion


def measure() -> dict[str, float]:
    """The time of the chain with a change of thread at every node over its time with none."""
    _setup_privateuseone_for_python_backend("toy")
    hopping = seconds()
    with torch.autograd.set_multithreading_enabled(False):
        staying = seconds()
    return {"nodes": LENGTH, "time_ratio": hopping / staying}


if __name__ == "__main__":
    verdict = "dearer" if measure()["time_ratio"] > 1 else "no dearer"
    print(f"{LENGTH} nodes are {verdict} when each is on another thread than the last")
