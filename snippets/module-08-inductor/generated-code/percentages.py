"""One function at four sizes, compiled against eager: in inference, and with its backward."""

import sys
from collections.abc import Callable
from pathlib import Path
from time import process_time

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parents[2] / "module-07-fx/the-graph-ir"))
from running_example import centred

SIZES = {"5": (5, 4, 3), "100": (100, 16, 16), "10000": (10_000, 16, 16), "1000_wide": (1000, 512, 512)}
ROUNDS, ROUND_SECONDS = 31, 0.02


# region step
def inference(function: Callable, x: Tensor, weight: Tensor) -> Callable[[], Tensor]:
    """A call without autograd."""
    return torch.no_grad()(lambda: function(x, weight))


def training(function: Callable, x: Tensor, weight: Tensor) -> Callable[[], Tensor]:
    """A call and its backward."""

    def call() -> Tensor:
        weight.grad = None
        function(x, weight).sum().backward()
        return weight.grad

    return call


# endregion


def seconds(call: Callable, times: int) -> float:
    """Of the processor. What the way before has left of the heap is met by a call that is not timed."""
    call()
    start = process_time()
    for _ in range(times):
        call()
    return process_time() - start


def measure() -> dict[str, float]:
    """Eager's best time over the compiled one's, on one thread: above one is faster."""
    torch.set_num_threads(1)
    values = {}
    for size, (rows, width, columns) in SIZES.items():
        x, weight = torch.randn(rows, width), torch.randn(width, columns, requires_grad=True)
        for phase in inference, training:
            torch._dynamo.reset()
            eager = phase(centred, x, weight)
            compiled = phase(torch.compile(centred, dynamic=False), x, weight)
            torch.testing.assert_close(compiled(), eager(), rtol=1e-3, atol=1e-3)
            seconds(compiled, 10)
            times = max(1, round(ROUND_SECONDS * 10 / seconds(eager, 10)))
            rounds = [(seconds(eager, times), seconds(compiled, times)) for _ in range(ROUNDS)]
            best = [min(column) for column in zip(*rounds, strict=True)]
            values[f"{phase.__name__}_{size}"] = round(best[0] / best[1], 2)
    return values


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:24} {value}")
