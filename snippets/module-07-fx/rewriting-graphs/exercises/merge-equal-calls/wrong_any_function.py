"""Merges the calls of any function, and of a random one too, whose two calls give two values."""

from collections.abc import Callable

from solution import merge as merge_pure
from torch import fx


def merge(graph: fx.Graph, pure: set[Callable]) -> int:
    """Merge the calls that compute the same, and return how many were taken away."""
    called = {node.target for node in graph.nodes if node.op == "call_function"}
    return merge_pure(graph, called)
