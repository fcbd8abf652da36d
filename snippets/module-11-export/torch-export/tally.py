"""The running example: a module with four places that remember, before and after an export."""

import warnings

import torch
from torch import Tensor, nn
from torch.export import export


# region module
class Tally(nn.Module):
    """A weight, a buffer, a number and a list of Python's."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1))
        self.register_buffer("seen", torch.zeros(1))
        self.calls = 0
        self.log: list[int] = []

    def forward(self, x: Tensor) -> Tensor:
        """A thousand for each call by the number, a hundred by the buffer, one by the list."""
        self.calls += 1
        self.seen.add_(1)
        self.log.append(self.calls)
        return x * self.weight + 1000 * self.calls + 100 * self.seen + len(self.log)


# endregion

if __name__ == "__main__":
    tally, x = Tally(), torch.zeros(1)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        program = export(tally, (x,))
    print("warnings:", len(caught))
    print("left in the module:", tally.calls, tally.seen.item(), tally.log)
    exported = program.module()
    print("eager:   ", [tally(x).item() for _ in range(3)])
    tally.seen.zero_()  # it is the same buffer
    print("exported:", [exported(x).item() for _ in range(3)])
