"""One backward, two threads: a node on the CPU, and below it a node on an accelerator that holds no data."""

import os
import time

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the accelerator is one of our own

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

_setup_privateuseone_for_python_backend("toy")


def empty() -> torch.Tensor:
    """A tensor on the device `toy`."""
    return torch._C._acc.create_empty_tensor((2,), torch.float32)


class OnDevice(torch.autograd.Function):
    """A node whose incoming gradient is on the device."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        return empty()

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        return empty()


class ToCPU(torch.autograd.Function):
    """A node whose incoming gradient is on the CPU, and whose outgoing one is on the device."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        return torch.zeros(2, device="cpu")

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        return empty()


x = empty().requires_grad_()
y = ToCPU.apply(OnDevice.apply(x))


# region path
def path() -> None:
    """Run the graph: the first node here, the second and the leaf on the device's thread."""
    y.backward(torch.ones(2, device="cpu"))


# endregion

if __name__ == "__main__":
    path()
    print("the leaf's gradient is on", x.grad.device.type)
    time.sleep(0.5)  # a worker lets go of its last graph task with the GIL: it must get it before Python ends
