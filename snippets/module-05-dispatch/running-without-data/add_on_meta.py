"""The book's addition, with broadcasting, on meta: `path()` ends in a kernel that is written in Python."""

import torch

a = torch.empty(2, 1, device="meta", requires_grad=True)
b = torch.empty(3, device="meta")


def path():
    return a + b


if __name__ == "__main__":
    c = path()
    print(c.device, tuple(c.shape), c.stride(), c.dtype, c.grad_fn.name())
    c.sum().backward()
    print("gradient:", a.grad.device, tuple(a.grad.shape))
