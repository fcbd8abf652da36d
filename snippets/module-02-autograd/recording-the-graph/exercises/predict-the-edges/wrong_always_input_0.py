"""Lets each edge lead to input 0, although an operator with several outputs has an input for each."""

import solution
from solution import *  # noqa: F403

with_number = solution.gradient_edge


def gradient_edge(tensor):
    return with_number(tensor)[0], 0


solution.gradient_edge = gradient_edge
