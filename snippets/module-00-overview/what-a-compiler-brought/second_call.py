"""The second call of a compiled function: guards, and the code that the first call left behind."""

import torch


def add(a, b):
    """The running example."""
    return a + b


compiled = torch.compile(add, backend="eager")
a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])
compiled(a, b)


def path():
    """The calls that are recorded."""
    return compiled(a, b)


if __name__ == "__main__":
    print(path().tolist())
