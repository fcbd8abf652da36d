"""Takes the numbers to lie side by side, which those of a column do not."""

import solution

rows, shares = solution.rows, solution.shares


def windows(x, length):
    return x.as_strided((x.shape[0] - length + 1, length), (1, 1), x.storage_offset())
