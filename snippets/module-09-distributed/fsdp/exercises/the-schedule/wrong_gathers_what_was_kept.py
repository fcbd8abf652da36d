"""Gathers a kept block in backward although it was never freed."""

import solution


def schedule(count, kept=frozenset(), **options):
    forward, _ = solution.schedule(count, kept, **options)
    _, backward = solution.schedule(count, **options)
    return forward, backward
