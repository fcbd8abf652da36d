"""Counts only users whose own value is wanted, and the last user may be one that nobody uses."""

from torch import fx


def released(graph: fx.Graph) -> dict[str, set[str]]:
    """The names of the values that can go once a node has run, by the name of that node."""
    wanted: set[fx.Node] = set()
    for node in reversed(graph.nodes):
        if node.op == "output" or node in wanted:
            wanted.update(node.all_input_nodes)
    gone: dict[str, set[str]] = {}
    for node in graph.nodes:
        users = [user for user in node.users if user.op == "output" or user in wanted] or node.users
        last = max(users, default=node)
        if last.op not in ("placeholder", "output"):
            gone.setdefault(last.name, set()).add(node.name)
    return gone
