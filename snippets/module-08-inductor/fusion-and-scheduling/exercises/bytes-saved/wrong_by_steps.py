"""Compares how many steps the loops have, and not their sizes."""

import math

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """Each access at an index and in as many steps as one of the other."""
    other = {(access[0], access[1], math.prod(access[2])) for access in other_reads + other_writes}
    return sum(
        access[3] for access in {*reads, *writes} if (access[0], access[1], math.prod(access[2])) in other
    )
