"""Holds expressions against each other, not nodes: what is computed from two random values is merged."""

from collections.abc import Callable

from torch import fx


def merge(graph: fx.Graph, pure: set[Callable]) -> int:
    """Merge the calls that compute the same, and return how many were taken away."""
    texts: dict[fx.Node, str] = {}
    first: dict[str, fx.Node] = {}
    merged = 0
    for node in graph.nodes:
        args, kwargs = fx.node.map_arg((node.args, dict(sorted(node.kwargs.items()))), texts.__getitem__)
        texts[node] = node.name if node.op == "placeholder" else f"{node.op} {node.target} {args} {kwargs}"
        if node.op != "call_function" or node.target not in pure:
            continue
        if texts[node] not in first:
            first[texts[node]] = node
            continue
        node.replace_all_uses_with(first[texts[node]])
        graph.erase_node(node)
        merged += 1
    return merged
