"""Calls that stop at more levels: an addition in place, and a product of matrices under autocast."""

import torch

DEVICE = torch.get_default_device().type
total = torch.tensor([10.0, 20.0, 30.0])
matrix = torch.eye(3)


def path():
    total.add_(total)
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        return torch.mm(matrix, matrix)


if __name__ == "__main__":
    product = path()
    print(total.tolist(), product.dtype)
