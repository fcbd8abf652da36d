"""The running example: a layer of six weights, and two ways to go on from its result."""

import torch
from torch import Tensor, nn


# region gate
class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 2)
        with torch.no_grad():
            self.layer.weight.copy_(torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 0.0]]))
            self.layer.bias.copy_(torch.tensor([1.0, 2.0]))

    def forward(self, x):
        y = self.layer(x)
        if y.sum() > 0:
            return y * 2
        return y - 1


# endregion


def double(y: Tensor) -> Tensor:
    """What the gate does with a positive sum."""
    return y * 2


def less_one(y: Tensor) -> Tensor:
    """What it does otherwise."""
    return y - 1


class CondGate(Gate):
    """The same, with the branch written as an operator."""

    def forward(self, x):
        y = self.layer(x)
        return torch.cond(y.sum() > 0, double, less_one, (y,))


def sample() -> Tensor:
    """The input from which everything is captured; its negative takes the other branch."""
    return torch.tensor([[1.0, 2.0, 3.0]])


if __name__ == "__main__":
    model = Gate()
    print(model(sample()).tolist(), model(-sample()).tolist())
