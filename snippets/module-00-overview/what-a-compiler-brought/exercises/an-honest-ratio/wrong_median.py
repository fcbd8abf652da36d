"""Takes the median of the rounds, which is a disturbed one where most are."""

import statistics

import solution
from solution import *  # noqa: F403


def compare(*args, **kwargs):
    solution.judged, kept = statistics.median, solution.judged
    try:
        return solution.compare(*args, **kwargs)
    finally:
        solution.judged = kept
