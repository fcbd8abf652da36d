"""Asks with `if` where the last window begins, and so fixes the answer for one length."""

import torch
from solution import window_max


@window_max.register_fake
def _(x, size, stride, padding=0, ceil_mode=False):
    batch, channels, length = x.shape
    torch._check_value(2 * padding <= size, lambda: "padding is more than half of the window")
    room = length + 2 * padding - size
    torch._check_value(room >= 0, lambda: "the window is longer than what it slides over")
    windows = room // stride + 1
    if ceil_mode:
        hanging = (room + stride - 1) // stride + 1
        if (hanging - 1) * stride < length + padding:
            windows = hanging
    return (
        x.new_empty(batch, channels, windows),
        x.new_empty(batch, channels, windows, dtype=torch.int64),
    )
