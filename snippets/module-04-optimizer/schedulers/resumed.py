"""A run that is cut after six steps, and resumed with the scheduler made in the wrong place."""

from collections.abc import Callable

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LambdaLR, LinearLR, LRScheduler

STEPS, CUT = 16, 6
MAKE: dict[str, Callable[[Optimizer], LRScheduler]] = {
    "From the present rate: LinearLR": lambda optimizer: LinearLR(
        optimizer, start_factor=0.25, total_iters=10
    ),
    "From the first rate: LambdaLR": lambda optimizer: LambdaLR(optimizer, lambda step: 0.85**step),
}


# region resume
def rates(make: Callable[[Optimizer], LRScheduler], cut: int | None) -> list[float]:
    """The rate of each step; at the cut both are loaded, the scheduler made after the optimizer was."""
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0)
    scheduler, used = make(optimizer), []
    for step in range(STEPS):
        if step == cut:
            saved, saved_schedule = optimizer.state_dict(), scheduler.state_dict()
            optimizer.load_state_dict(saved)
            scheduler = make(optimizer)
            scheduler.load_state_dict(saved_schedule)
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        scheduler.step()
    return used


# endregion


def main() -> None:
    for number, (title, make) in enumerate(MAKE.items()):
        print("" if number == 0 else "\n", f"{title}:", sep="")
        print("step  not interrupted  resumed")
        for step, row in enumerate(zip(rates(make, None), rates(make, CUT), strict=True)):
            print("  ".join((str(step), *(f"{rate:.3f}" for rate in row))))


if __name__ == "__main__":
    main()
