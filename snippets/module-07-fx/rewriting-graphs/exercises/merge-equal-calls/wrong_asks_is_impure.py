"""Asks the node whether it is impure, and not the set: calls of other functions are merged too."""

from collections.abc import Callable

from solution import merge as merge_pure
from torch import fx


def merge(graph: fx.Graph, pure: set[Callable]) -> int:
    """Merge the calls that compute the same, and return how many were taken away."""
    calls = {node.target for node in graph.nodes if node.op == "call_function" and not node.is_impure()}
    return merge_pure(graph, calls)
