"""What two schedulers on one optimizer do to each other, and what a schedule does to the momentum."""

from collections.abc import Callable

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import (
    ChainedScheduler,
    CosineAnnealingLR,
    CosineAnnealingWarmRestarts,
    LinearLR,
    LRScheduler,
    OneCycleLR,
    SequentialLR,
)

STEPS = 30


def warm_up(optimizer: Optimizer) -> LRScheduler:
    return LinearLR(optimizer, start_factor=0.1, total_iters=8)


# region two
def in_sequence(optimizer: Optimizer) -> LRScheduler:
    return SequentialLR(optimizer, [warm_up(optimizer), CosineAnnealingLR(optimizer, 22)], milestones=[8])


def chained(optimizer: Optimizer) -> LRScheduler:
    return ChainedScheduler([warm_up(optimizer), CosineAnnealingLR(optimizer, 30)])


def chained_with_restarts(optimizer: Optimizer) -> LRScheduler:
    return ChainedScheduler([CosineAnnealingWarmRestarts(optimizer, 10), warm_up(optimizer)])


# endregion


def numbers(make: Callable[[Optimizer], LRScheduler], name: str = "lr") -> list[float]:
    """What the optimizer finds in its group at each step."""
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    scheduler, used = make(optimizer), []
    for _ in range(STEPS):
        used.append(optimizer.param_groups[0][name])
        optimizer.step()
        scheduler.step()
    return used


def show(title: str, columns: dict[str, list[float]]) -> None:
    print(f"{title}:")
    print("  ".join(("step", *columns)))
    for step, row in enumerate(zip(*columns.values(), strict=True)):
        print("  ".join((str(step), *(f"{number:.3f}" for number in row))))


def one_cycle(optimizer: Optimizer) -> LRScheduler:
    return OneCycleLR(optimizer, max_lr=1.0, total_steps=STEPS)


def main() -> None:
    pairs = {
        "SequentialLR": in_sequence,
        "ChainedScheduler": chained,
        "ChainedScheduler with restarts": chained_with_restarts,
    }
    show("Warm-up and cosine, put together", {name: numbers(make) for name, make in pairs.items()})
    print()
    show("OneCycleLR", {"learning rate": numbers(one_cycle), "momentum": numbers(one_cycle, "momentum")})


if __name__ == "__main__":
    main()
