"""Looks for a border between two runs before the last dimension, and nowhere else."""

from itertools import pairwise

import solution

windows, rows = solution.windows, solution.rows


def one_run(sizes, strides):
    kept = [(size, stride) for size, stride in zip(sizes, strides, strict=True) if size != 1]
    return all(stride == size * inner for (_, stride), (size, inner) in pairwise(kept))


def shares(x, length):
    if one_run(x.shape, x.stride()):
        return True
    return x.shape[-1] == length and one_run(x.shape[:-1], x.stride()[:-1])
