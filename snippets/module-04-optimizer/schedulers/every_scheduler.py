"""The rate that each scheduler of torch leaves in the group, step by step."""

from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim import lr_scheduler as schedulers
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.swa_utils import SWALR

STEPS = 40
LOSSES = [max(0.5, 1 - 0.05 * step) for step in range(STEPS)]  # falls for ten steps, then stays


# region make
ARGUMENTS: dict[str, dict[str, Any]] = {
    "StepLR": {"step_size": 10, "gamma": 0.5},
    "MultiStepLR": {"milestones": [5, 30], "gamma": 0.3},
    "ExponentialLR": {"gamma": 0.95},
    "PolynomialLR": {"total_iters": 40, "power": 2},
    "CosineAnnealingLR": {"T_max": 16},
    "CosineAnnealingWarmRestarts": {"T_0": 8, "T_mult": 2},
    "CyclicLR": {"base_lr": 0.1, "max_lr": 0.7, "step_size_up": 6},
    "OneCycleLR": {"max_lr": 1.0, "total_steps": 40},
    "LinearLR": {"start_factor": 0.1, "total_iters": 10},
    "ConstantLR": {"factor": 0.25, "total_iters": 15},
    "LambdaLR": {"lr_lambda": lambda step: (1 + step) ** -0.5},
    "MultiplicativeLR": {"lr_lambda": lambda step: 0.9},
    "ReduceLROnPlateau": {"factor": 0.5, "patience": 4},
    "SWALR": {"swa_lr": 0.2, "anneal_epochs": 25},
}


def make(name: str, optimizer: Optimizer, **more: Any) -> LRScheduler:
    if name == "SequentialLR":
        parts = [make("LinearLR", optimizer), schedulers.CosineAnnealingLR(optimizer, T_max=30)]
        return schedulers.SequentialLR(optimizer, parts, milestones=[10])
    if name == "ChainedScheduler":
        return schedulers.ChainedScheduler([make("LinearLR", optimizer), make("ExponentialLR", optimizer)])
    kind = SWALR if name == "SWALR" else getattr(schedulers, name)
    return kind(optimizer, **ARGUMENTS[name], **more)


# endregion
PANELS = {
    "Decays": ("StepLR", "MultiStepLR", "ExponentialLR", "PolynomialLR"),
    "Cycles": ("CosineAnnealingLR", "CosineAnnealingWarmRestarts", "CyclicLR", "OneCycleLR"),
    "Warm-ups, and two in one": ("LinearLR", "ConstantLR", "SequentialLR", "ChainedScheduler"),
    "Functions, a loss, and the rate for averaging": (
        "LambdaLR",
        "MultiplicativeLR",
        "ReduceLROnPlateau",
        "SWALR",
    ),
}


# region rates
def rates(name: str) -> list[float]:
    """The rate of each of the steps, as the optimizer finds it."""
    optimizer = torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=1.0, momentum=0.9)
    scheduler, used = make(name, optimizer), []
    for step in range(STEPS):
        used.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        if isinstance(scheduler, schedulers.ReduceLROnPlateau):
            scheduler.step(LOSSES[step])
        else:
            scheduler.step()
    return used


# endregion


def main() -> None:
    for number, (title, names) in enumerate(PANELS.items()):
        columns = [rates(name) for name in names]
        print("" if number == 0 else "\n", f"{title}:", sep="")
        print("  ".join(("step", *names)))
        for step, row in enumerate(zip(*columns, strict=True)):
            print("  ".join((str(step), *(f"{rate:.3f}" for rate in row))))


if __name__ == "__main__":
    main()
