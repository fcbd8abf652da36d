"""Begins at the start of the memory, where a part of a tensor does not begin."""


def unfold(x, dimension, size, step):
    dimensions = max(x.dim(), 1)
    if not -dimensions <= dimension < dimensions:
        raise IndexError(f"dimension {dimension} of {x.dim()}")
    shape, strides = list(x.shape), list(x.stride())
    length, stride = (shape[dimension], strides[dimension]) if shape else (1, 1)
    if step < 1 or not 0 <= size <= length:
        raise ValueError(f"windows of {size} in {length}, a step of {step}")
    if shape:  # a number is one window, and no dimension counts it
        shape[dimension] = (length - size) // step + 1
        strides[dimension] = stride * step
    return x.as_strided([*shape, size], [*strides, stride], 0)
