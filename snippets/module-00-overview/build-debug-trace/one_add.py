"""The running example, in a function of its own so that a debugger has a place to stop."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


def add():
    return a + b


if __name__ == "__main__":
    print(add().tolist())
