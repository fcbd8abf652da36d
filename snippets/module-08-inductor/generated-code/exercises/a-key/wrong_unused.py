"""Drops operators whose results nobody reads, also those that write into an input."""

import solution
import torch
from torch import fx


def key(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> str:
    """Equal where the code that was compiled for one may run for the other, whatever names were given."""
    copy = fx.Graph()
    copy.output(copy.graph_copy(graph.graph, {}))
    for node in reversed(copy.nodes):
        if node.op == "call_function" and not node.users:
            copy.erase_node(node)
    return solution.key(fx.GraphModule(graph, copy), inputs)
