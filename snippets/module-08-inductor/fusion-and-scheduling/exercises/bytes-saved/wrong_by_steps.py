"""Compares how many steps the loops have, and how many bytes, and not their sizes."""

import math

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """Each access at an index, in as many steps and of as many bytes as one of the other."""

    def told(access: Access) -> tuple[str, str, int, int]:
        return access[0], access[1], math.prod(access[2]), access[3]

    other = set(map(told, other_reads + other_writes))
    return sum(access[3] for access in {*reads, *writes} if told(access) in other)
