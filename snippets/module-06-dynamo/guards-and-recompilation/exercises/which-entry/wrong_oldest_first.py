"""Tries the entries in the order in which they were compiled, so that the first size keeps its own entry."""


def serving(sizes: list[int]) -> list[int]:
    """For each call, the number of the compilation that serves it, from 0."""
    fixed: list[int | None] = []
    served = []
    for size in sizes:
        for entry, wanted in enumerate(fixed):
            if wanted == size or (wanted is None and size >= 2):
                served.append(entry)
                break
        else:
            served.append(len(fixed))
            fixed.append(size if not fixed or size < 2 else None)
    return served
