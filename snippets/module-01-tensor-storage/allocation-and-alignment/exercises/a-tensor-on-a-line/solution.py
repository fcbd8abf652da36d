"""Tensors at addresses that a chip asks for."""

import math
from collections.abc import Sequence

import torch
from torch import Tensor


def empty_on_line(size: Sequence[int], line: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """More memory than is shown, and a view that begins where it has to."""
    length = math.prod(size) * dtype.itemsize
    memory = torch.empty(length + line, dtype=torch.uint8, device="cpu")
    begin = -memory.data_ptr() % line
    return memory[begin : begin + length].view(dtype).view(size)


def on_line(tensor: Tensor, line: int) -> Tensor:
    """The address is looked at, and not taken to write there."""
    if tensor.is_contiguous() and tensor.const_data_ptr() % line == 0:
        return tensor
    return empty_on_line(tensor.shape, line, tensor.dtype).copy_(tensor)
