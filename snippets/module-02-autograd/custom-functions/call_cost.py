"""What it costs to write a derivative in Python: one product of two numbers, three ways."""

import inspect
import statistics
import time
from collections.abc import Callable

import torch
from one_function import Product
from torch import Tensor
from torch.autograd import Function

CALLS = 1000
ROUNDS = 15


class OneStep(Function):
    """The same product; `forward` takes the context itself."""

    @staticmethod
    def forward(ctx, a: Tensor, b: Tensor) -> Tensor:
        ctx.save_for_backward(a, b)
        return a * b

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return grad * b, grad * a


def bind(a: Tensor, b: Tensor) -> None:
    """What `Function.apply` does first where there is a `setup_context`."""
    inspect.signature(Product.forward).bind(a, b).apply_defaults()


# region time
def forward_time(product: Callable[[Tensor, Tensor], Tensor | None], a: Tensor, b: Tensor) -> float:
    """Seconds for CALLS products, each recorded and then dropped."""
    start = time.perf_counter()
    for _ in range(CALLS):
        product(a, b)
    return time.perf_counter() - start


def backward_time(product: Callable[[Tensor, Tensor], Tensor], a: Tensor, b: Tensor) -> float:
    """Seconds for the backward of a chain of CALLS products."""
    chain = a
    for _ in range(CALLS):
        chain = product(chain, b)
    start = time.perf_counter()
    torch.autograd.grad(chain, (a, b))
    return time.perf_counter() - start


# endregion


def measure() -> dict[str, float]:
    a = torch.ones((), requires_grad=True)
    b = torch.ones((), requires_grad=True)
    ways = {"operator": torch.mul, "one_step": OneStep.apply, "two_steps": Product.apply}
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):  # in turn, so that whatever slows the machine slows all of them
        for name, product in ways.items():
            times.setdefault(f"{name}_forward", []).append(forward_time(product, a, b))
        times.setdefault("operator_backward", []).append(backward_time(torch.mul, a, b))
        times.setdefault("backward", []).append(backward_time(Product.apply, a, b))
        times.setdefault("binding_forward", []).append(forward_time(bind, a, b))
    middle = {name: statistics.median(found) for name, found in times.items()}
    return {
        name: middle[name] / middle[f"operator_{name.rpartition('_')[2]}"]
        for name in middle
        if not name.startswith("operator")
    }


if __name__ == "__main__":
    for name, ratio in measure().items():
        print(f"{name}: {ratio:.1f}")
