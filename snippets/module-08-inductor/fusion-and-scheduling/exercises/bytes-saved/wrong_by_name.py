"""Compares the buffers, and not where in them the loops are."""

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """Each buffer that both touch, with the fewer bytes."""
    one, other = (
        {access[0]: access[3] for access in part} for part in (reads + writes, other_reads + other_writes)
    )
    return sum(min(one[name], other[name]) for name in one if name in other)
