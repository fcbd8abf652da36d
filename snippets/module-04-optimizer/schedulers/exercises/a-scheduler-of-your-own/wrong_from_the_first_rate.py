"""Computes each rate from the first one, so that what another scheduler did is gone."""

import solution


class InverseSqrtLR(solution.InverseSqrtLR):
    def get_lr(self):
        return self._get_closed_form_lr()
