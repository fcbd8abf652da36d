"""One multiplication of two leaves: `path()` is the call whose way through C++ is recorded."""

import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)


def path():
    return a * b


if __name__ == "__main__":
    product = path()
    print(product.tolist(), product.grad_fn.name())
    for node, number in product.grad_fn.next_functions:
        print(node.name().split("::")[-1], "input", number)
