"""When each value of a graph can be let go."""

from torch import fx


def released(graph: fx.Graph) -> dict[str, set[str]]:
    """The names of the values that can go once a node has run, by the name of that node."""
    gone: dict[str, set[str]] = {}
    for node in graph.nodes:
        last = max(node.users, default=node)  # a node is less than another that runs after it
        if last.op not in ("placeholder", "output"):
            gone.setdefault(last.name, set()).add(node.name)
    return gone
