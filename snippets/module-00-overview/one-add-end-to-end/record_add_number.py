"""A tensor and a number: `path()` makes a tensor of the number, then goes the way of two tensors."""

import torch

a = torch.tensor([1.0, 2.0, 3.0])


def path():
    return a + 2


if __name__ == "__main__":
    print(path().tolist())
