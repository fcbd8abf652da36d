"""Holds that a view needs a contiguous tensor."""

import solution

windows, rows = solution.windows, solution.rows


def shares(x, length):
    return x.is_contiguous()
