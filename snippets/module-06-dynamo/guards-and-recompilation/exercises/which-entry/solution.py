"""Which compilation serves a call?"""


def serving(sizes: list[int]) -> list[int]:
    """For each call, the number of the compilation that serves it, from 0."""
    order: list[int] = []  # the entries, as they are tried
    fixed: list[int | None] = []  # the size of each entry, or None for a symbol
    served = []
    for size in sizes:
        fits = [entry for entry in order if fixed[entry] == size or (fixed[entry] is None and size >= 2)]
        if not fits:
            # the first is compiled for its size; so are 0 and 1, which are never a symbol
            fixed.append(size if not fixed or size < 2 else None)
            fits = [len(fixed) - 1]
            order.append(fits[0])
        order.remove(fits[0])
        order.insert(0, fits[0])
        served.append(fits[0])
    return served
