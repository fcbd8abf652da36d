"""Holds the positional arguments against each other, and of the keyword arguments the numbers alone."""

from collections.abc import Callable

from torch import fx


def merge(graph: fx.Graph, pure: set[Callable]) -> int:
    """Merge the calls that compute the same, and return how many were taken away."""
    first: dict[tuple, fx.Node] = {}
    merged = 0
    for node in graph.nodes:
        if node.op != "call_function" or node.target not in pure:
            continue
        numbers = {name: value for name, value in node.kwargs.items() if not isinstance(value, fx.Node)}
        key = (node.target, repr(node.args), repr(sorted(numbers.items())))
        if key not in first:
            first[key] = node
            continue
        node.replace_all_uses_with(first[key])
        graph.erase_node(node)
        merged += 1
    return merged
