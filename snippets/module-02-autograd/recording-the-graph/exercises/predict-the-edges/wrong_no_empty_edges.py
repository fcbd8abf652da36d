"""Leaves out the argument that has no history or is absent, whose place an empty edge keeps."""

import solution
from solution import *  # noqa: F403

all_edges = solution.next_edges


def next_edges(operator, arguments):
    return tuple(edge for edge in all_edges(operator, arguments) if edge[0] is not None)
