"""Compares the strides with those it expects, and copies a contiguous tensor for one along one number."""

import math

import solution

empty_on_line = solution.empty_on_line


def on_line(tensor, line):
    wanted = tuple(math.prod(tensor.shape[place + 1 :]) for place in range(tensor.ndim))
    if tensor.stride() == wanted and tensor.const_data_ptr() % line == 0:
        return tensor
    return empty_on_line(tensor.shape, line, tensor.dtype).copy_(tensor)
