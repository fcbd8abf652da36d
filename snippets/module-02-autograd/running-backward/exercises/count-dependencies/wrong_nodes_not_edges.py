"""Counts the nodes that lead to a node, and not the edges: one node may have two of them."""

import solution
from solution import *  # noqa: F403


def count_dependencies(root):
    counts, to_visit = {}, [root]
    while to_visit:
        for child in {child for child, _ in to_visit.pop().next_functions if child is not None}:
            if child not in counts:
                counts[child] = 0
                to_visit.append(child)
            counts[child] += 1
    return counts


solution.count_dependencies = count_dependencies
