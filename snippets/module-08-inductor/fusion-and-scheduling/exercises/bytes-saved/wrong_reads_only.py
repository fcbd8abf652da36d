"""Counts what both read, and forgets what the one writes and the other reads."""

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """Each common read."""
    return sum(access[3] for access in {*reads} & {*other_reads})
