"""One custom function, forward and back: where Python calls C++, and where C++ calls Python again."""

import torch
from torch import Tensor
from torch.autograd import Function


# region function
class Product(Function):
    @staticmethod
    def forward(a: Tensor, b: Tensor) -> Tensor:
        return a * b

    @staticmethod
    def setup_context(ctx, inputs: tuple[Tensor, Tensor], output: Tensor) -> None:
        ctx.save_for_backward(*inputs)

    @staticmethod
    def backward(ctx, grad: Tensor) -> tuple[Tensor, Tensor]:
        a, b = ctx.saved_tensors
        return grad * b, grad * a


# endregion

# region path
a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)


def path() -> None:
    loss = (Product.apply(a, b) + a).sum()
    loss.backward()


# endregion


if __name__ == "__main__":
    path()
    print(a.grad.tolist(), b.grad.tolist())
