"""A node on a worker thread raises: which thread catches the exception, and what does its traceback show?"""

import os
import threading
import time
import traceback

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the accelerator is one of our own

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend


def empty() -> torch.Tensor:
    """A tensor on the device `toy`, which holds no data."""
    return torch._C._acc.create_empty_tensor((2,), torch.float32)


# region fails
class Fails(torch.autograd.Function):
    """A node on the device `toy` that raises when it runs."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        return empty()

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        print("raised on", threading.current_thread().name)
        raise ValueError("no gradient today")


def run() -> None:
    """Catch what the node raises, and print the functions that its traceback goes through."""
    y = Fails.apply(empty().requires_grad_())
    try:
        y.backward(empty())
    except ValueError as error:
        print("caught on", threading.current_thread().name)
        for frame in traceback.extract_tb(error.__traceback__):
            print("  ", frame.name)


# endregion

if __name__ == "__main__":
    _setup_privateuseone_for_python_backend("toy")
    run()
    time.sleep(0.5)  # a worker lets go of its last graph task with the GIL: it must get it before Python ends
