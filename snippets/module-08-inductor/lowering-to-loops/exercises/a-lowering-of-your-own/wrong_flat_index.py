"""Reads the buffer by a place that it computes itself, as if the input were contiguous and in memory."""

from collections.abc import Sequence

from sympy import Expr
from torch._inductor.ir import FlexibleLayout, Pointwise, TensorBox
from torch._inductor.virtualized import OpsValue, ops


def skew(x: TensorBox) -> TensorBox:
    """`x[..., i] - x[..., -1 - i]`: one loop, no copy of x, for whatever length the last dimension has."""
    x.realize()
    buffer, size = x.get_name(), x.get_size()
    strides = FlexibleLayout.contiguous_strides(size)

    def load(index: Sequence[Expr]) -> OpsValue:
        return ops.load(buffer, sum(i * stride for i, stride in zip(index, strides, strict=True)))

    def body(index: Sequence[Expr]) -> OpsValue:
        *outer, last = index
        return ops.sub(load(index), load([*outer, size[-1] - 1 - last]))

    return Pointwise.create(device=x.get_device(), dtype=x.get_dtype(), inner_fn=body, ranges=size)
