"""Compares buffers and sizes, and not the index."""

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """Each access in as many steps to a buffer that the other has too."""
    other = {(access[0], access[2]) for access in other_reads + other_writes}
    return sum(access[3] for access in {*reads, *writes} if (access[0], access[2]) in other)
