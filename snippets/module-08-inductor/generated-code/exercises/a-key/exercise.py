"""A key under which a compiled graph may be kept."""

import torch
from torch import fx


def key(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> str:
    """Equal where the code that was compiled for one may run for the other, whatever names were given."""
    raise NotImplementedError
