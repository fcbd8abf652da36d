"""The operators that one step of Adam calls, in each of the three ways."""

from collections import Counter

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


# region count
class Count(TorchDispatchMode):
    """Counts the operators that are called, without the profiler's marks."""

    def __init__(self) -> None:
        super().__init__()
        self.names: Counter[str] = Counter()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace == "aten":
            self.names[func.__name__] += 1
        return func(*args, **(kwargs or {}))


def second_step(way: dict, count: int) -> tuple[Counter[str], int]:
    """The operators that Python calls in a second step, and how many are called with those of kernels."""
    weights = [nn.Parameter(torch.ones(3)) for _ in range(count)]
    optimizer = torch.optim.Adam(weights, **way)
    for weight in weights:
        weight.grad = torch.ones(3)
    optimizer.step()
    with Count() as seen:
        optimizer.step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        optimizer.step()
    return seen.names, sum(event.name.startswith("aten::") for event in profile.events())


# endregion


def main() -> None:
    for way in {"foreach": False}, {"foreach": True}, {"fused": True}:
        for count in 1, 10, 100:
            names, with_kernels = second_step(way, count)
            calls = f"{names.total()} calls, {with_kernels} with those that kernels call"
            print(way, f"{count} parameters: {calls}")
            if count == 10:
                for name, times in names.items():
                    print(f"  {times:4} {name}")


if __name__ == "__main__":
    main()
