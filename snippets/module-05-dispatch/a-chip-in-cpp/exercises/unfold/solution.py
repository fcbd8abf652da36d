"""A view kernel for any device: the windows of a tensor, with no element touched."""

from torch import Tensor


def unfold(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of `size` neighbours along a dimension, each `step` further on, as a view of `x`.

    A step in the new dimension is a step in the old one; a step in the old one leads to the next window.
    """
    dimensions = max(x.dim(), 1)
    if not -dimensions <= dimension < dimensions:
        raise IndexError(f"dimension {dimension} of {x.dim()}")
    if step < 1:
        raise ValueError(f"a step of {step}")
    shape, strides = list(x.shape), list(x.stride())
    length, stride = (shape[dimension], strides[dimension]) if shape else (1, 1)
    if not 0 <= size <= length:
        raise ValueError(f"windows of {size} in {length}")
    if shape:  # a number is one window, and no dimension counts it
        shape[dimension] = (length - size) // step + 1
        strides[dimension] = stride * step
    return x.as_strided([*shape, size], [*strides, stride], x.storage_offset())
