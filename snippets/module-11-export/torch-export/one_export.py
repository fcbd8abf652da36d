"""One export of the running example, its decomposition, and the module that comes out."""

import torch
from tally import Tally
from torch import Tensor, nn
from torch.export import export

export(nn.ReLU(), (torch.ones(1),)).run_decompositions()  # what is imported late is not to be in the path


# region path
class Seen(Tally):
    """The running example, so that its forward is a function of this file."""

    def forward(self, x: Tensor) -> Tensor:
        """Python's part."""
        return super().forward(x)


tally, x = Seen(), torch.zeros(1)


def path() -> nn.Module:
    """From a module to a module."""
    return export(tally, (x,)).run_decompositions().module()


# endregion

if __name__ == "__main__":
    print([path()(x).item() for _ in range(2)])
