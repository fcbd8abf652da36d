"""Build a graph of five nodes and drop its last tensor: `path()` shows who takes the rest down."""

import torch

a = torch.tensor([2.0, 3.0], requires_grad=True)
b = torch.tensor([5.0, 7.0], requires_grad=True)


def path():
    loss = (a * b + a).sum()
    del loss


if __name__ == "__main__":
    path()

    # A recursive destructor would need one stack frame, or several, for each of these nodes.
    x = torch.zeros((), requires_grad=True)
    y = x
    for _ in range(100_000):
        y = y + 1
    print(int(y.item()), "nodes in a row")
    del y
    print("all freed")
