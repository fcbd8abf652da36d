"""One call of apply, without backward: in what order the outputs get their node and the tensors are saved."""

import torch
from torch import Tensor
from torch.autograd import Function


class Exp(Function):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        return grad * ctx.saved_tensors[0]


x = torch.zeros(2, requires_grad=True)


# region path
def path() -> None:
    Exp.apply(x)


# endregion


if __name__ == "__main__":
    path()

    # region ask
    y = Exp.apply(x)
    (kept,) = y.grad_fn.saved_tensors
    print(kept is y, kept.grad_fn is y.grad_fn)
    # endregion
