"""The multiplication of `record_one_mul.py` once more, with gradient mode off."""

import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)


@torch.no_grad()
def path():
    return a * b


if __name__ == "__main__":
    product = path()
    print(product.tolist(), product.grad_fn, product.requires_grad)
