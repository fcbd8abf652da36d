"""One addition, `a + b`, of a leaf and a tensor that requires nothing: `path()` is what is recorded."""

import torch

a = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
b = torch.tensor([10.0, 20.0, 30.0])


def path():
    return a + b


if __name__ == "__main__":
    c = path()
    print(c.tolist(), c.grad_fn.name())
