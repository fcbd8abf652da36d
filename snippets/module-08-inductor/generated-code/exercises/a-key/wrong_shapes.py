"""Takes shapes and dtypes of the inputs, and forgets their strides."""

import solution
import torch
from torch import fx


def key(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> str:
    """Equal where the code that was compiled for one may run for the other, whatever names were given."""
    return solution.key(graph, []) + repr([(x.shape, x.dtype, x.device) for x in inputs])
