"""Runs ready nodes in the order in which they became ready, and not the latest made first."""

from collections import deque

from solution import *  # noqa: F403
from solution import count_dependencies


def execution_order(root):
    waiting, ready, order = count_dependencies(root), deque([root]), []
    while ready:
        node = ready.popleft()
        order.append(node)
        for child, _ in node.next_functions:
            if child is not None:
                waiting[child] -= 1
                if waiting[child] == 0:
                    ready.append(child)
    return order
