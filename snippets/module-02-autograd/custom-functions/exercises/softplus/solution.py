"""Softplus, log(1 + exp(x)), with a derivative of its own, a second one, and a rule for vmap."""

from torch import Tensor
from torch.autograd import Function


class Softplus(Function):
    """`Softplus.apply(x)` is log(1 + exp(x)), elementwise, for a floating-point tensor of any shape.

    Finite wherever the true value is, and exact to the precision of the type at both ends. It can be
    differentiated twice in reverse mode, once in forward mode, and once in each, keeps no tensor but
    its input for that, and works under `torch.func`.
    """

    generate_vmap_rule = True

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        # exp only ever sees a number that is not positive, so it cannot overflow.
        return x.clamp(min=0) + x.abs().neg().exp().log1p()

    @staticmethod
    def setup_context(ctx, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return grad * x.sigmoid()  # autograd knows the sigmoid's derivative: that is the second one

    @staticmethod
    def jvp(ctx, tangent: Tensor) -> Tensor:
        (x,) = ctx.saved_tensors
        return tangent * x.sigmoid()
