"""Computes the strides from the shape, as if each tensor were contiguous."""

import math


def unfold(x, dimension, size, step):
    dimensions = max(x.dim(), 1)
    if not -dimensions <= dimension < dimensions:
        raise IndexError(f"dimension {dimension} of {x.dim()}")
    shape = list(x.shape)
    strides = [math.prod(shape[place + 1 :]) for place in range(len(shape))]
    length, stride = (shape[dimension], strides[dimension]) if shape else (1, 1)
    if step < 1 or not 0 <= size <= length:
        raise ValueError(f"windows of {size} in {length}, a step of {step}")
    if shape:
        shape[dimension] = (length - size) // step + 1
        strides[dimension] = stride * step
    return x.as_strided([*shape, size], [*strides, stride], x.storage_offset())
