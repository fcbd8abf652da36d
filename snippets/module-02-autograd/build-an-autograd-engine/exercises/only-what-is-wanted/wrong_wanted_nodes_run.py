"""Runs the wanted nodes too, although their gradient is there before they run."""

import solution
from solution import *  # noqa: F403

only_above = solution.nodes_to_run


def nodes_to_run(root, wanted):
    return only_above(root, wanted) | wanted


solution.nodes_to_run = nodes_to_run
