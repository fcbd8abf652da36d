"""A NaN that is made in backward, and what anomaly mode had kept to explain it."""

import warnings

import torch
from torch import Tensor
from torch.autograd import Function


# region root
class Root(Function):
    @staticmethod
    def forward(x: Tensor) -> Tensor:
        return x.sqrt()

    @staticmethod
    def setup_context(ctx, inputs: tuple[Tensor], output: Tensor) -> None:
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad: Tensor) -> Tensor:
        (root,) = ctx.saved_tensors
        return grad / (2 * root)


def masked_loss(x: Tensor) -> Tensor:
    return (Root.apply(x) * (x > 0)).sum()


# endregion

# region run
x = torch.tensor([0.0, 4.0], requires_grad=True)
loss = masked_loss(x)
loss.backward()
print(loss.item(), x.grad.tolist())

with torch.autograd.set_detect_anomaly(True), warnings.catch_warnings(record=True) as caught:
    loss = masked_loss(x)
    root = loss.grad_fn.next_functions[0][0].next_functions[0][0]
    print(root.name(), list(root.metadata))
    try:
        loss.backward()
    except RuntimeError as error:
        print(error)
for warning in caught:
    headline, _, stack = str(warning.message).partition("\n")
    print(headline)
    print(stack[stack.index(f'  File "{__file__}"') :])  # what lies above is whoever started the program
# endregion
