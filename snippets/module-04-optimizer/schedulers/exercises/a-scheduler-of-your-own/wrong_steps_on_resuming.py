"""Takes the call that the constructor makes for a step, so that a resumed run skips one."""

import solution


class InverseSqrtLR(solution.InverseSqrtLR):
    def get_lr(self):
        before = self.factor(self.last_epoch - 1) if self.last_epoch else 1.0
        return [group["lr"] * self.factor(self.last_epoch) / before for group in self.optimizer.param_groups]
