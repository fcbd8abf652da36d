"""What of the caller's state does a node find, on a worker thread and on the caller's?"""

import contextvars
import os
import threading
import time

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the accelerator is one of our own

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

local = threading.local()
variable = contextvars.ContextVar("variable", default=None)


def empty() -> torch.Tensor:
    """A tensor on the device `toy`, which holds no data."""
    return torch._C._acc.create_empty_tensor((2,), torch.float32)


# region look
class Look(torch.autograd.Function):
    """A node on the device `toy` that reports what it sees when it runs."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        return empty()

    @staticmethod
    def backward(ctx, grad: torch.Tensor) -> torch.Tensor:
        saved_context = torch._C._get_obj_in_tls("context")
        print("  threading.local     ", getattr(local, "value", None))
        print("  ContextVar          ", variable.get())
        print("  ContextVar, stashed ", saved_context.get(variable))
        print("  autocast            ", torch.is_autocast_enabled("cpu"), torch.get_autocast_dtype("cpu"))
        return empty()


# endregion


def run() -> None:
    """Set the caller's state, then run a graph of one node backward."""
    local.value = "set by the caller"
    variable.set("set by the caller")
    y = Look.apply(empty().requires_grad_())
    with torch.autocast("cpu", dtype=torch.float16):
        y.backward(empty())


if __name__ == "__main__":
    _setup_privateuseone_for_python_backend("toy")
    print("on the device's worker thread")
    run()
    print("on the caller's thread")
    with torch.autograd.set_multithreading_enabled(False):
        run()
    time.sleep(0.5)  # a worker lets go of its last graph task with the GIL: it must get it before Python ends
