"""When each value of a graph can be let go."""

from torch import fx


def released(graph: fx.Graph) -> dict[str, set[str]]:
    """The names of the values that can go once a node has run, by the name of that node.

    A value goes with the last node that uses it, in the order in which the nodes run. One that nobody uses
    goes with its own node. What is returned stays, and so does a parameter that nobody uses. A node that lets
    nothing go has no entry.
    """
    raise NotImplementedError
