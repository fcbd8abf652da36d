"""Frees and reduces the first block before the head even where its input needs no gradient."""

import solution


def schedule(count, kept=frozenset(), **options):
    forward, backward = solution.schedule(count, kept, **options)
    ends = [
        event for event in backward if event.split()[1] == "head" and event.split()[0] in ("free", "reduce")
    ]
    return forward, [event for event in backward if event not in ends] + ends
