"""Softplus, log(1 + exp(x)), with a derivative of its own, a second one, and a rule for vmap."""

from torch import Tensor
from torch.autograd import Function


class Softplus(Function):
    """`Softplus.apply(x)` is log(1 + exp(x)), elementwise, for a floating-point tensor of any shape.

    Finite wherever the true value is, and exact to the precision of the type at both ends. It can be
    differentiated twice in reverse mode, once in forward mode, and once in each, keeps no tensor but
    its input for that, and works under `torch.func`.
    """

    @staticmethod
    def forward(x: Tensor) -> Tensor:
        raise NotImplementedError

    @staticmethod
    def setup_context(ctx, inputs: tuple[Tensor], output: Tensor) -> None:
        raise NotImplementedError

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        raise NotImplementedError
