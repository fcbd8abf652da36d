"""Asks for the address with `data_ptr()`, for which a lazy clone makes its copy."""

import solution

empty_on_line = solution.empty_on_line


def on_line(tensor, line):
    if tensor.is_contiguous() and tensor.data_ptr() % line == 0:
        return tensor
    return empty_on_line(tensor.shape, line, tensor.dtype).copy_(tensor)
