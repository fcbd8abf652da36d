"""One module with one full backward hook, called and run backward: the Python around two nodes of C++."""

import torch
from torch import nn

# region path
linear = nn.Linear(2, 1)
ran = []


def note(module: nn.Module, grad_input: tuple, grad_output: tuple) -> None:
    ran.append([None if grad is None else list(grad.shape) for grad in (*grad_input, *grad_output)])


linear.register_full_backward_hook(note)
x = torch.ones(3, 2, requires_grad=True)


def path() -> None:
    y = linear(x)
    y.sum().backward()


# endregion


if __name__ == "__main__":
    path()
    print(ran)
