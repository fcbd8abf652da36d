"""Be the engine: count the dependencies of a graph, and say in which order its nodes will run."""

import heapq
from itertools import count

from torch.autograd.graph import Node


def count_dependencies(root: Node) -> dict[Node, int]:
    """For every node below `root`, the number of edges that lead to it. The root is not in the result."""
    counts: dict[Node, int] = {}
    to_visit = [root]
    while to_visit:
        for child, _ in to_visit.pop().next_functions:
            if child is None:
                continue
            if child not in counts:
                counts[child] = 0
                to_visit.append(child)
            counts[child] += 1
    return counts


def execution_order(root: Node) -> list[Node]:
    """The nodes from `root` down, in the order in which the engine runs them."""
    waiting = count_dependencies(root)
    arrival = count()  # nodes cannot be compared, so equal numbers are told apart by who came first
    ready = [(-root._sequence_nr(), next(arrival), root)]
    order: list[Node] = []
    while ready:
        *_, node = heapq.heappop(ready)
        order.append(node)
        for child, _ in node.next_functions:
            if child is None:
                continue
            waiting[child] -= 1
            if waiting[child] == 0:
                heapq.heappush(ready, (-child._sequence_nr(), next(arrival), child))
    return order
