"""Takes the numbers of a constant in a row, and forgets its shape."""

from operator import attrgetter

import solution
import torch
from torch import fx


def key(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> str:
    """Equal where the code that was compiled for one may run for the other, whatever names were given."""
    flat = fx.GraphModule(graph, graph.graph)
    for node in graph.graph.find_nodes(op="get_attr"):
        setattr(flat, node.target, attrgetter(node.target)(graph).flatten())
    return solution.key(flat, inputs)
