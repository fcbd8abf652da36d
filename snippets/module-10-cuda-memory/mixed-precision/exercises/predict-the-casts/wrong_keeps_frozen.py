"""Keeps the cast of a frozen weight too, which seems the safest one to keep."""

import solution


class CastCache(solution.CastCache):
    def use(self, name, version, wants_gradient):
        return super().use(name, version, True)
