"""Write a schedule that chains, resumes and hands over as torch's own do."""

import math

import torch
from torch.optim.lr_scheduler import LRScheduler


class InverseSqrtLR(LRScheduler):
    """The first rate times `factor(step)`: up in a line, then down with the root of the step."""

    def __init__(self, optimizer: torch.optim.Optimizer, warmup: int, last_epoch: int = -1) -> None:
        self.warmup = warmup
        super().__init__(optimizer, last_epoch)

    def factor(self, step: int) -> float:
        return min((step + 1) / self.warmup, math.sqrt(self.warmup / (step + 1)))

    def get_lr(self) -> list[float | torch.Tensor]:
        """The next rate of each group, from the present one, so that two schedulers can share an optimizer.

        A fresh optimizer begins at `factor(0)` times its own rate. With `last_epoch` the rates stay.
        """
        raise NotImplementedError

    def _get_closed_form_lr(self) -> list[float | torch.Tensor]:
        """The rate of each group from its first one; what `SequentialLR` asks for at a milestone."""
        raise NotImplementedError
