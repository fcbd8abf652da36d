"""What two loops share."""

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """Each access that both make, whoever reads and whoever writes, once."""
    return sum(access[3] for access in {*reads, *writes} & {*other_reads, *other_writes})
