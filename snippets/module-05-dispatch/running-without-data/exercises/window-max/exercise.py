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
    raise NotImplementedError
