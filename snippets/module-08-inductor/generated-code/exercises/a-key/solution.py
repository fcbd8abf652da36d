"""A key under which a compiled graph may be kept."""

from operator import attrgetter

import torch
from torch import fx


def described(x: torch.Tensor) -> tuple:
    """What code for a tensor may rest on, and nothing of its numbers."""
    return tuple(x.shape), x.stride(), x.dtype, x.device


def key(graph: fx.GraphModule, inputs: list[torch.Tensor]) -> str:
    """Equal where the code that was compiled for one may run for the other, whatever names were given."""
    places: dict[fx.Node, str] = {}
    lines = []
    for node in graph.graph.nodes:
        places[node] = f"%{len(places)}"
        arguments = fx.node.map_arg((node.args, node.kwargs), places.__getitem__)
        target = "" if node.op in ("placeholder", "output") else str(node.target)
        if node.op == "get_attr":  # a constant has a name too
            constant = attrgetter(node.target)(graph)
            target = described(constant), constant.tolist()
        lines.append(repr((node.op, target, arguments)))
    return "\n".join([*lines, *map(repr, map(described, inputs))])
