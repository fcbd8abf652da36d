"""Computes in floats of 64 bits, in which large integers that differ are the same number."""

from collections.abc import Sequence

import torch
from sympy import Expr
from torch._inductor.ir import Pointwise, TensorBox
from torch._inductor.virtualized import OpsValue, ops


def skew(x: TensorBox) -> TensorBox:
    """`x[..., i] - x[..., -1 - i]`: one loop, no copy of x, for whatever length the last dimension has."""
    load, size = x.make_loader(), x.get_size()

    def body(index: Sequence[Expr]) -> OpsValue:
        *outer, last = index
        here, there = load(index), load([*outer, size[-1] - 1 - last])
        difference = ops.sub(ops.to_dtype(here, torch.float64), ops.to_dtype(there, torch.float64))
        return ops.to_dtype(difference, x.get_dtype())

    return Pointwise.create(device=x.get_device(), dtype=x.get_dtype(), inner_fn=body, ranges=size)
