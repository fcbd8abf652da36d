"""Lets the entry with a symbol serve every size, 0 and 1 too."""


def serving(sizes: list[int]) -> list[int]:
    """For each call, the number of the compilation that serves it, from 0."""
    order: list[int] = []
    fixed: list[int | None] = []
    served = []
    for size in sizes:
        fits = [entry for entry in order if fixed[entry] in (size, None)]
        if not fits:
            fixed.append(None if fixed else size)
            fits = [len(fixed) - 1]
            order.append(fits[0])
        order.remove(fits[0])
        order.insert(0, fits[0])
        served.append(fits[0])
    return served
