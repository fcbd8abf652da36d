"""book::window_max: the maximum of each window along the last dimension, and where it was found."""

import torch
from torch import Tensor
from torch.nn.functional import max_pool1d


@torch.library.custom_op("book::window_max", mutates_args=())
def window_max(
    x: Tensor, size: int, stride: int, padding: int = 0, ceil_mode: bool = False
) -> tuple[Tensor, Tensor]:
    """Values of x's dtype and int64 positions; x is (batch, channels, length), the results are contiguous."""
    values, indices = max_pool1d(
        x.contiguous(), size, stride, padding, ceil_mode=ceil_mode, return_indices=True
    )
    return values.contiguous(), indices.contiguous()


@window_max.register_fake
def _(x: Tensor, size: int, stride: int, padding: int = 0, ceil_mode: bool = False) -> tuple[Tensor, Tensor]:
    batch, channels, length = x.shape
    torch._check_value(2 * padding <= size, lambda: "padding is more than half of the window")
    room = length + 2 * padding - size
    torch._check_value(room >= 0, lambda: "the window is longer than what it slides over")
    # Windows that fit; with ceil_mode one more that hangs over the end, if it begins on data or left padding.
    windows = room // stride + 1
    if ceil_mode:
        hanging = (room + stride - 1) // stride + 1
        begins_inside = (hanging - 1) * stride < length + padding
        windows = torch.sym_ite(begins_inside, hanging, windows)
    # new_empty is contiguous and keeps dtype and device; positions are int64 whatever x is.
    return (
        x.new_empty(batch, channels, windows),
        x.new_empty(batch, channels, windows, dtype=torch.int64),
    )
