"""Takes the mean of the rounds, so that whatever disturbed one of them counts."""

import solution
from solution import *  # noqa: F403


def compare(*args, **kwargs):
    solution.judged, kept = lambda found: sum(found) / len(found), solution.judged
    try:
        return solution.compare(*args, **kwargs)
    finally:
        solution.judged = kept
