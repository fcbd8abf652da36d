"""Has the numbers put in memory where the input is a view of loops, or its loops read more than once."""

from collections.abc import Sequence

from sympy import Expr
from torch._inductor.ir import BaseView, Pointwise, TensorBox
from torch._inductor.virtualized import OpsValue, ops


def skew(x: TensorBox) -> TensorBox:
    """`x[..., i] - x[..., -1 - i]`: one loop, no copy of x, for whatever length the last dimension has."""
    if isinstance(x.data, BaseView):
        x.realize()
    x.realize_hint()
    load, size = x.make_loader(), x.get_size()

    def body(index: Sequence[Expr]) -> OpsValue:
        *outer, last = index
        return ops.sub(load(index), load([*outer, size[-1] - 1 - last]))

    return Pointwise.create(device=x.get_device(), dtype=x.get_dtype(), inner_fn=body, ranges=size)
