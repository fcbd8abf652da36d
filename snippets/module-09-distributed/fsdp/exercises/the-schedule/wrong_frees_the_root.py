"""Frees the root's group after forward like the others, and gathers it again in backward."""

import solution


def schedule(count, kept=frozenset(), **options):
    forward, backward = solution.schedule(count, kept, **options)
    return [*forward, "free head"], ["gather head", "out head", *backward]
