"""Equal calls of a graph, merged into one."""

from collections.abc import Callable

from torch import fx


def merge(graph: fx.Graph, pure: set[Callable]) -> int:
    """Merge the calls that compute the same, and return how many were taken away.

    Two calls of one function with equal arguments and equal keyword arguments compute the same, if the
    function is in `pure`. Merged are also calls whose arguments are equal once other calls have been merged.
    The first of the equal calls stays. Arguments here are nodes and numbers; 1 and 1.0 are not the same, and
    -0.0 is not 0.0. No call of the graph writes to a tensor: `x.add_(1)` between two equal calls, or on the
    result of one, would make two values of them.
    """
    raise NotImplementedError
