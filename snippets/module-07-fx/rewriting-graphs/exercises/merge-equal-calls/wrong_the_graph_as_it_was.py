"""Looks for equal calls in the graph as it was, where what is computed from equal calls is not yet equal."""

from collections.abc import Callable

from torch import fx


def merge(graph: fx.Graph, pure: set[Callable]) -> int:
    """Merge the calls that compute the same, and return how many were taken away."""
    first: dict[tuple, fx.Node] = {}
    pairs = []
    for node in graph.nodes:
        if node.op != "call_function" or node.target not in pure:
            continue
        key = (node.target, repr(node.args), repr(sorted(node.kwargs.items())))
        if key in first:
            pairs.append((node, first[key]))
        first.setdefault(key, node)
    for node, other in pairs:
        node.replace_all_uses_with(other)
        graph.erase_node(node)
    return len(pairs)
