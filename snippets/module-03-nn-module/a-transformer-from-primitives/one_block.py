"""One call of a block with fused attention: from four modules of Python to the kernels that do the work."""

import torch
from decoder import Block, fused

# region path
block = Block(width=8, heads=2, attend=fused)
x = torch.randn(1, 4, 8)


def path() -> None:
    global y
    y = block(x)


# endregion


if __name__ == "__main__":
    path()
    print(list(x.shape), "->", list(y.shape), y.grad_fn.name())
