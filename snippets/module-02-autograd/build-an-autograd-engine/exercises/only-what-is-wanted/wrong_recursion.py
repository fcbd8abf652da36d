"""Walks down the graph by recursion, and so as deep only as Python's stack."""

import solution
from solution import *  # noqa: F403


def nodes_to_run(root, wanted):
    needed, seen = set(), {}

    def leads_to_one(node):
        if node not in seen:
            below = [child for child, _ in node.next_functions if child is not None]
            seen[node] = any([child in wanted or leads_to_one(child) for child in below])
            # Those below a wanted one are asked as well.
            seen[node] |= any([leads_to_one(child) for child in below])
            if seen[node]:
                needed.add(node)
        return seen[node]

    leads_to_one(root)
    return needed


solution.nodes_to_run = nodes_to_run
