"""Equal calls of a graph, merged into one."""

from collections.abc import Callable

from torch import fx


def merge(graph: fx.Graph, pure: set[Callable]) -> int:
    """Merge the calls that compute the same, and return how many were taken away."""
    first: dict[tuple, fx.Node] = {}
    merged = 0
    for node in graph.nodes:
        if node.op != "call_function" or node.target not in pure:
            continue
        typed = [(type(value), value) for value in node.args]
        named = [(name, type(value), value) for name, value in sorted(node.kwargs.items())]
        key = (node.target, *typed, *named)
        if key not in first:
            first[key] = node
            continue
        node.replace_all_uses_with(first[key])  # the users that follow are looked at with their new arguments
        graph.erase_node(node)
        merged += 1
    return merged
