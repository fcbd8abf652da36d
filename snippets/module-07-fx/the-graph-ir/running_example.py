"""The running example of the modules FX, Dynamo and Inductor: rows through a layer, their means taken away.

Articles import it, with this folder put on `sys.path`: `from running_example import centred`.
"""

import math

import torch
from torch import Tensor


# region example
def centred(x: Tensor, weight: Tensor) -> Tensor:
    """A layer with silu. Of more than four rows, each has its mean subtracted, in place."""
    y = torch.nn.functional.silu(x @ weight)
    if x.shape[0] > 4:
        y.sub_(y.mean(1, keepdim=True))
    return y / math.sqrt(x.shape[1])


# endregion


def inputs(rows: int) -> tuple[Tensor, Tensor]:
    """So many rows of four numbers, and a weight that makes three of them."""
    return torch.arange(4.0 * rows).reshape(rows, 4) / 10, torch.arange(12.0).reshape(4, 3) / 10


if __name__ == "__main__":
    for rows in 4, 5:
        result = centred(*inputs(rows))
        print(rows, "rows: the first is", [round(number, 4) for number in result[0].tolist()])
