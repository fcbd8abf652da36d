"""What one step of Adam asks of the dispatcher, in each of the three ways."""

from collections import Counter

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


# region count
class Count(TorchDispatchMode):
    """Counts the operators that are called, and those of the profiler's marks apart."""

    def __init__(self) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "aten":
            self.names[func.__name__] += 1
        return func(*args, **(kwargs or {}))


def second_step(way: dict, count: int) -> Counter[str]:
    """The operators of a second step, of a number of parameters."""
    weights = [nn.Parameter(torch.ones(3)) for _ in range(count)]
    optimizer = torch.optim.Adam(weights, **way)
    for weight in weights:
        weight.grad = torch.ones(3)
    optimizer.step()
    with Count() as seen:
        optimizer.step()
    return seen.names


# endregion


def main() -> None:
    for way in {"foreach": False}, {"foreach": True}, {"fused": True}:
        for count in 1, 10:
            names = second_step(way, count)
            print(way, f"{count} parameters: {names.total()} calls")
            if count == 10:
                for name, calls in names.items():
                    print(f"  {calls:4} {name}")


if __name__ == "__main__":
    main()
