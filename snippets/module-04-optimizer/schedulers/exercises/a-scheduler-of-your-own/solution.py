"""The factor of a step is applied to the rate that is there."""

import math

from torch.optim.lr_scheduler import LRScheduler


class InverseSqrtLR(LRScheduler):
    def __init__(self, optimizer, warmup, last_epoch=-1):
        self.warmup = warmup
        super().__init__(optimizer, last_epoch)

    def factor(self, step):
        return min((step + 1) / self.warmup, math.sqrt(self.warmup / (step + 1)))

    def get_lr(self):
        if not self._is_initial:
            change = self.factor(self.last_epoch) / self.factor(self.last_epoch - 1)
        else:
            change = self.factor(0) if self.last_epoch == 0 else 1.0
        return [group["lr"] * change for group in self.optimizer.param_groups]

    def _get_closed_form_lr(self):
        return [rate * self.factor(self.last_epoch) for rate in self.base_lrs]
