"""What two loops share."""

Access = tuple[str, str, tuple[int, ...], int]


def saved(
    reads: list[Access], writes: list[Access], other_reads: list[Access], other_writes: list[Access]
) -> int:
    """The scheduler's score: how many bytes fusing the two loops saves.

    An access is a buffer, an index, the sizes of the loops it goes through, and its bytes.
    """
    raise NotImplementedError
