"""Looks for what the second reads, and not for what it writes."""

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """Each access of the first that the second reads."""
    return sum(access[3] for access in {*reads, *writes} & {*other_reads})
