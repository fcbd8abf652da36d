"""Which thread runs a node that lives on an accelerator? Shown with an accelerator that holds no data.

PyTorch lets a Python program register a device of its own. This one cannot compute anything, but it has
tensors and a device index, and that is all the engine looks at when it chooses a thread.
"""

import os
import threading
import time

os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the accelerator is one of our own

import torch
from torch.utils.backend_registration import _setup_privateuseone_for_python_backend


# region device
def empty(device: str) -> torch.Tensor:
    """A tensor of two elements on the CPU or on the device that we register here."""
    if device == "cpu":
        return torch.zeros(2, device="cpu")
    return torch._C._acc.create_empty_tensor((2,), torch.float32)


def thread_name() -> str:
    """The name that the operating system has for the calling thread."""
    with open(f"/proc/self/task/{threading.get_native_id()}/comm") as f:
        name = f.read().strip()
    return "caller" if threading.current_thread() is threading.main_thread() else name


def engine_threads() -> list[str]:
    """The engine's worker threads in this process, by the names that they soon take."""
    names = []
    for task in os.listdir("/proc/self/task"):
        with open(f"/proc/self/task/{task}/comm") as f:
            names.append(f.read().strip())
    return [name for name in names if name.startswith("pt_autograd")]


# endregion


# region move
class Move(torch.autograd.Function):
    """Copies nothing from one device to the other, and says which thread runs its backward."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, device: str) -> torch.Tensor:
        ctx.source = x.device.type
        ctx.target = device
        return empty(device)

    @staticmethod
    def backward(ctx, grad: torch.Tensor):
        print(f"  gradient of {ctx.source} -> {ctx.target:4}: {thread_name()}")
        return empty(ctx.source), None


def run() -> None:
    """Build a graph that crosses from device to device, and run it backward."""
    x = empty("toy").requires_grad_()
    x.register_post_accumulate_grad_hook(lambda leaf: print(f"  leaf on {leaf.device.type}: {thread_name()}"))
    y = Move.apply(Move.apply(Move.apply(x, "toy"), "cpu"), "cpu")
    y.backward(empty("cpu"))


# endregion

if __name__ == "__main__":
    _setup_privateuseone_for_python_backend("toy")
    print("before any backward:", engine_threads())
    print("backward with multithreading off")
    with torch.autograd.set_multithreading_enabled(False):
        run()
    while not engine_threads():
        time.sleep(0.01)
    print("after it:", engine_threads())
    print("backward")
    run()
    time.sleep(0.5)  # a worker lets go of its last graph task with the GIL: it must get it before Python ends
