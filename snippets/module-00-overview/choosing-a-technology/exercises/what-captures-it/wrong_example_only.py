"""Compares on the example that was captured, and on no other input."""

import solution
from solution import *  # noqa: F403


def verdicts(function, example, others):
    return solution.verdicts(function, example, [])
