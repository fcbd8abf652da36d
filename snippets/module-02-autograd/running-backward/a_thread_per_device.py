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


class Meet(torch.autograd.Function):
    """A node that does not come back from its backward until two of its kind are in it."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, number: int, barrier: threading.Barrier | None = None) -> torch.Tensor:
        ctx.device, ctx.number, ctx.barrier = x.device.type, number, barrier
        return empty(ctx.device)

    @staticmethod
    def backward(ctx, grad: torch.Tensor):
        began.append((ctx.number, threading.current_thread().name))
        if ctx.barrier:
            ctx.barrier.wait(timeout=60)
        return empty(ctx.device), None, None


# region meet
def two_queues() -> None:
    """Run three nodes that are ready together, the oldest of them on the CPU."""
    cpu, toy, other = [empty(device).requires_grad_() for device in ("cpu", "toy", "toy")]
    both = threading.Barrier(2)
    ends = Meet.apply(cpu, 0, both), Meet.apply(toy, 1), Meet.apply(other, 2, both)
    torch.autograd.backward(ends[::-1], [empty(end.device.type) for end in ends[::-1]])
    numbers = [number for number, _ in began]
    print("  at the same time:", sorted(numbers[:2]), "after one of them:", numbers[2:])


def two_callers() -> None:
    """Two threads call backward on one graph of the device, with multithreading off."""
    leaf = empty("toy").requires_grad_()
    y = Meet.apply(leaf, 0, threading.Barrier(2))

    def call() -> None:
        with torch.autograd.set_multithreading_enabled(False):
            torch.autograd.grad(y, leaf, empty("toy"), retain_graph=True)

    threads = [threading.Thread(target=call, name=f"caller {i}") for i in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print("  in one node at the same time:", sorted(name for _, name in began))


def inside_another() -> None:
    """A hook starts a backward on the device while a node of the outer backward is ready on the CPU."""
    toy, cpu, other = [empty(device).requires_grad_() for device in ("toy", "cpu", "cpu")]
    both = threading.Barrier(2)
    inner = Meet.apply(toy, 0, both)
    ends = Meet.apply(cpu, 1, both), Meet.apply(other, 2)
    ends[1].register_hook(lambda grad: inner.backward(empty("toy")))
    torch.autograd.backward(ends, [empty("cpu"), empty("cpu")])
    numbers = [number for number, _ in began]
    print("  at the same time:", sorted(numbers[:2]), "after both:", numbers[2:])


def after_an_error() -> None:
    """A leaf on the CPU raises while the leaf on the device is at work."""
    cpu, toy = empty("cpu").requires_grad_(), empty("toy").requires_grad_()
    at_work, caught = threading.Event(), threading.Event()

    def fail(grad: torch.Tensor) -> None:
        at_work.wait(timeout=60)
        raise ValueError

    def wait(grad: torch.Tensor) -> None:
        at_work.set()
        caught.wait(timeout=60)

    cpu.register_hook(fail)
    toy.register_hook(wait)
    try:
        torch.autograd.backward([cpu, Meet.apply(toy, 0)], [empty("cpu"), empty("toy")])
    except ValueError:
        print("  caught, gradient:", toy.grad)
    caught.set()
    for _ in range(1000):
        if toy.grad is None:
            time.sleep(0.01)
    print("  then, gradient on:", toy.grad.device.type)


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
    for program in (two_queues, two_callers, inside_another, after_an_error):
        print(program.__name__.replace("_", " "))
        began: list[tuple[int, str]] = []
        program()
    time.sleep(0.5)  # a worker lets go of its last graph task with the GIL: it must get it before Python ends
