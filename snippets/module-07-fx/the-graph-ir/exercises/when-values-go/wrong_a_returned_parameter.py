"""Lets a parameter go with its last call, and one that is returned stays."""

from torch import fx


def released(graph: fx.Graph) -> dict[str, set[str]]:
    """The names of the values that can go once a node has run, by the name of that node."""
    gone: dict[str, set[str]] = {}
    for node in graph.nodes:
        users = [user for user in node.users if node.op != "placeholder" or user.op != "output"]
        last = max(users, default=node)
        if last.op not in ("placeholder", "output"):
            gone.setdefault(last.name, set()).add(node.name)
    return gone
