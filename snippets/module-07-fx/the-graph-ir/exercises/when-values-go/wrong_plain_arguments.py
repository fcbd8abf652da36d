"""Looks for values among the arguments, where those in a list and those given by a keyword do not stand."""

from torch import fx


def released(graph: fx.Graph) -> dict[str, set[str]]:
    """The names of the values that can go once a node has run, by the name of that node."""
    last = {node: node for node in graph.nodes}
    for user in graph.nodes:
        last.update({value: user for value in user.args if isinstance(value, fx.Node)})
    gone: dict[str, set[str]] = {}
    for node, user in last.items():
        if user.op not in ("placeholder", "output"):
            gone.setdefault(user.name, set()).add(node.name)
    return gone
