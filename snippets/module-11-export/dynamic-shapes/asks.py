"""Two sizes that may change, and a module that asks about them and computes nothing."""

import torch
from torch import Tensor
from torch.export import Dim, ExportedProgram, export


# region module
class Asks(torch.nn.Module):
    """Chooses the second of two vectors if they are as long as each other and longer than four."""

    def forward(self, x: Tensor, y: Tensor) -> Tensor:
        """One of them."""
        if x.shape[0] > 4 and x.shape[0] == y.shape[0]:
            return y
        return x


# endregion


# region path
def path() -> ExportedProgram:
    """Six numbers in each vector; both lengths may change."""
    inputs = torch.ones(6), torch.ones(6)
    program = export(Asks(), inputs, dynamic_shapes=({0: Dim.DYNAMIC}, {0: Dim.DYNAMIC}))
    program.module()
    return program


# endregion

if __name__ == "__main__":
    program = path()
    print(program.range_constraints)
    print(*(tuple(node.meta["val"].shape) for node in program.graph.nodes if node.op == "placeholder"))
    module = program.module()
    for sizes in (5, 5), (9, 9), (4, 4), (5, 6):
        try:
            print(sizes, tuple(module(*map(torch.ones, sizes)).shape))
        except AssertionError as refused:
            print(sizes, refused)
