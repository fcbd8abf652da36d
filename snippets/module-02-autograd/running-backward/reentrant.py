"""A backward that starts a backward that starts a backward: how many levels does one thread carry?"""

import os
import sys
import threading
import time
from collections import Counter

import torch

levels: Counter[int] = Counter()


# region nested
class Nested(torch.autograd.Function):
    """The identity, whose backward runs another graph of the same kind, `depth` times over."""

    @staticmethod
    def forward(ctx, x: torch.Tensor, depth: int) -> torch.Tensor:
        ctx.depth = depth
        return x.clone()

    @staticmethod
    def backward(ctx, grad: torch.Tensor):
        levels[threading.get_ident()] += 1
        if ctx.depth > 0:
            with torch.enable_grad():
                start(ctx.depth - 1)
        return grad, None


def start(depth: int) -> None:
    """Build a graph of one `Nested` node and run it."""
    x = torch.ones(1, requires_grad=True)
    Nested.apply(x, depth).sum().backward()


# endregion


# region fork
def backward_in_a_child() -> None:
    """Fork, and run a graph on the CPU backward in the child."""
    child = os.fork()
    if not child:
        try:
            torch.ones(1, device="cpu", requires_grad=True).sum().backward()
            print("in a child: done", flush=True)
        except RuntimeError as error:
            print("in a child:", str(error).partition(".")[0], flush=True)
        os._exit(0)
    os.waitpid(child, 0)


# endregion

if __name__ == "__main__":
    for depth in (0, 59, 60, 61, 121, 122):
        levels.clear()
        start(depth)
        print(f"{depth:3d} backwards below the first: {list(levels.values())} levels on each thread")
    sys.stdout.flush()  # or the child has a copy of it
    backward_in_a_child()
    time.sleep(0.5)  # a worker lets go of its last graph task with the GIL: it must get it before Python ends
