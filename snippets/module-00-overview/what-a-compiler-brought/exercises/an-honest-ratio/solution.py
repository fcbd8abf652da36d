"""The ways take turns within a round, and each is judged by the round that was disturbed the least."""

import math
import time


def seconds(way, clock, times):
    """How long so many calls take."""
    start = clock()
    for _ in range(times):
        way()
    return clock() - start


def timed(ways, clock, rounds, times):
    """For each way, the seconds for one call in each round."""
    found = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            found[name].append(seconds(way, clock, times) / times)
    return found


def judged(found):
    """One number for the rounds of a way."""
    return min(found)


def compare(ways, clock=time.process_time, rounds=21, times=5):
    """The speed of each way, as a multiple of eager's, and the number of calls until it pays."""
    first = {name: seconds(way, clock, 1) for name, way in ways.items()}
    best = {name: judged(found) for name, found in timed(ways, clock, rounds, times).items()}
    eager = best[next(iter(ways))]
    result = {}
    for name in list(ways)[1:]:
        gain = eager - best[name]
        pays = max(1, math.ceil((first[name] - best[name]) / gain)) if gain > 0 else None
        result[name] = eager / best[name], pays
    return result
