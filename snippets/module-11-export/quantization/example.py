"""The module's running example, with small numbers: one layer of six weights and a relu."""

import torch
from torch import Tensor, nn


# region example
class Scores(nn.Module):
    """Two scores from three features."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(3, 2)
        with torch.no_grad():
            self.layer.weight.copy_(torch.tensor([[1.0, 0.0, 2.0], [0.0, -1.0, 0.0]]))
            self.layer.bias.copy_(torch.tensor([1.0, 2.0]))

    def forward(self, x: Tensor) -> Tensor:
        """The scores, none below zero."""
        return torch.relu(self.layer(x))


x = torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
# endregion


def shown(result: Tensor) -> list[list[float]]:
    """With three decimals: the last bits of a product are the processor's."""
    return [[round(value, 3) + 0.0 for value in row] for row in result.tolist()]


if __name__ == "__main__":
    print(shown(Scores()(x)))
