"""A lowering for an operator of your own: each element minus the one at its mirrored place."""

from collections.abc import Sequence

from sympy import Expr
from torch._inductor.ir import Pointwise, TensorBox
from torch._inductor.virtualized import OpsValue, ops


def skew(x: TensorBox) -> TensorBox:
    """`x[..., i] - x[..., -1 - i]`: one loop, no copy of x, for whatever length the last dimension has."""
    load, size = x.make_loader(), x.get_size()

    def body(index: Sequence[Expr]) -> OpsValue:
        *outer, last = index
        return ops.sub(load(index), load([*outer, size[-1] - 1 - last]))

    return Pointwise.create(device=x.get_device(), dtype=x.get_dtype(), inner_fn=body, ranges=size)
