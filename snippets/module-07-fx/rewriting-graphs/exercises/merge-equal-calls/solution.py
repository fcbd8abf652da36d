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
        # the text of a node is its name, and of -0.0 not that of 0.0
        key = (node.target, repr(node.args), repr(sorted(node.kwargs.items())))
        if key not in first:
            first[key] = node
            continue
        node.replace_all_uses_with(first[key])  # the users that follow are looked at with their new arguments
        graph.erase_node(node)
        merged += 1
    return merged
