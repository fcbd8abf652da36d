"""Gathers a block in backward when backward has reached it, and not one block ahead."""

import solution


def schedule(count, kept=frozenset(), **options):
    forward, backward = solution.schedule(count, kept, **options)
    late = []
    for event in backward:
        if event.startswith("out"):
            late.append(event.replace("out", "gather"))
        if not event.startswith("gather"):
            late.append(event)
    return forward, late
