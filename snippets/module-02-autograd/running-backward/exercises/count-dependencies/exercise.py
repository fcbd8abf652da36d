"""Be the engine: count the dependencies of a graph, and say in which order its nodes will run.

What you need of a node: `node.next_functions`, its edges as pairs (node, input number), where the node is
None if nothing below that edge wants a gradient; and `node._sequence_nr()`, its sequence number.
"""

from torch.autograd.graph import Node


def count_dependencies(root: Node) -> dict[Node, int]:
    """For every node below `root`, the number of edges that lead to it. The root is not in the result."""
    raise NotImplementedError


def execution_order(root: Node) -> list[Node]:
    """The nodes from `root` down, in the order in which the engine runs them.

    A node is ready when every edge that leads to it has been walked. Among the nodes that are ready, the one
    with the highest sequence number runs first; among equals, any.
    """
    raise NotImplementedError
