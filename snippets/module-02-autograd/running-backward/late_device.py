"""The engine counts the devices once, at the first backward. What happens to one that comes later?"""

import os
import re

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the accelerator is one of our own

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend


class Move(torch.autograd.Function):
    """A node on the device `toy`; it holds no data."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        return torch._C._acc.create_empty_tensor((2,), torch.float32)

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        return grad


# How an internal assertion reports itself: condition, file, line.
REPORT = re.compile(r'(.+?) INTERNAL ASSERT FAILED at ".*?/(torch/csrc/.+?)":(\d+)')

if __name__ == "__main__":
    torch.ones(2, device="cpu", requires_grad=True).sum().backward()  # here the engine counts the devices

    _setup_privateuseone_for_python_backend("toy")
    x = torch._C._acc.create_empty_tensor((2,), torch.float32).requires_grad_()
    y = Move.apply(x)
    try:
        y.backward(torch._C._acc.create_empty_tensor((2,), torch.float32))
    except RuntimeError as error:
        for part in REPORT.match(str(error)).groups():
            print(part)
