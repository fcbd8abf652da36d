"""Takes the graph's Python, in which the names of its nodes stand, and compiles a renamed function again."""

import torch
from solution import described
from torch import fx


def key(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> str:
    """Equal where the code that was compiled for one may run for the other, whatever names were given."""
    return "\n".join([graph.code, *map(repr, map(described, inputs))])
