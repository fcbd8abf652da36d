"""Begins from the first rate, so that what another scheduler did when it was made is gone."""

import solution


class InverseSqrtLR(solution.InverseSqrtLR):
    def get_lr(self):
        if self._is_initial and self.last_epoch == 0:
            return self._get_closed_form_lr()
        return super().get_lr()
