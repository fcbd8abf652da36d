"""Tensors at addresses that a chip asks for."""

from collections.abc import Sequence

import torch
from torch import Tensor


def empty_on_line(size: Sequence[int], line: int, dtype: torch.dtype = torch.float32) -> Tensor:
    """A new contiguous tensor of the CPU that begins at a multiple of `line` bytes.

    `line` is a power of two, and may be larger than what the allocator keeps to by itself.
    """
    raise NotImplementedError


def on_line(tensor: Tensor, line: int) -> Tensor:
    """The tensor itself if it is contiguous and begins at a multiple of `line`, else a copy that is and does.

    A lazy clone that is fine as it is stays lazy.
    """
    raise NotImplementedError
