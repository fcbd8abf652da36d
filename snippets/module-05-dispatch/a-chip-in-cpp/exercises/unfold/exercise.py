"""A view kernel for any device: the windows of a tensor, with no element touched."""

from torch import Tensor


def unfold(x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """All windows of `size` neighbours along a dimension, each `step` further on, as a view of `x`.

    The result has a last dimension more, of length `size`: `result[..., i, ..., j]` is
    `x[..., i * step + j, ...]`. A negative dimension counts from the end. A tensor without dimensions has
    one window, of length 0 or 1, and the result this dimension alone. Nothing may be read, written or
    copied: `as_strided` is the only operator allowed.

    Raises IndexError for a dimension that is not there, ValueError for a `size` that does not fit or is
    negative, and for a `step` below 1.
    """
    raise NotImplementedError
