"""Divides by the factor of its own last step, so that after a jump it divides by a stale one."""

import solution


class InverseSqrtLR(solution.InverseSqrtLR):
    def get_lr(self):
        now = self.factor(self.last_epoch)
        before = self.before if not self._is_initial else now if self.last_epoch else 1.0
        self.before = now
        return [group["lr"] * now / before for group in self.optimizer.param_groups]
