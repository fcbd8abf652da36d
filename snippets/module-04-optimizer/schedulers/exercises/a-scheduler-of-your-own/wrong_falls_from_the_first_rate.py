"""Falls from the first rate once the warm-up is over, so that what another scheduler does then is lost."""

import solution


class InverseSqrtLR(solution.InverseSqrtLR):
    def get_lr(self):
        if self._is_initial or self.last_epoch <= self.warmup:
            return super().get_lr()
        factor = self.factor(self.last_epoch)
        return [group.get("initial_lr", 1.0) * factor for group in self.optimizer.param_groups]
