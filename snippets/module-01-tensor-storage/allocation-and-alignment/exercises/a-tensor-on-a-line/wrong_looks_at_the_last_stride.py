"""Takes a last stride of 1 for contiguous, and hands back columns of a wider matrix as they are."""

import solution

empty_on_line = solution.empty_on_line


def on_line(tensor, line):
    if (not tensor.ndim or tensor.stride(-1) == 1) and tensor.const_data_ptr() % line == 0:
        return tensor
    return empty_on_line(tensor.shape, line, tensor.dtype).copy_(tensor)
