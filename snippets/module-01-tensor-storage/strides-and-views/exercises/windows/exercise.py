"""Windows over a row of numbers, without a copy where none is needed."""

from torch import Tensor


def windows(x: Tensor, length: int) -> Tensor:
    """All pieces of `length` neighbours of a tensor of one dimension, as rows of a view of it.

    `x` may itself be a view: a column, every other number, a row that is repeated.
    """
    raise NotImplementedError


def rows(x: Tensor, length: int) -> Tensor:
    """The numbers of `x`, of any shape, in rows of `length`: a view where one exists, else a copy.

    The result may be written to in either case, and then `x` is changed or it is not: `shares` says which.
    """
    raise NotImplementedError


def shares(x: Tensor, length: int) -> bool:
    """Whether `rows` of this tensor is a view, found out without making a copy of its numbers."""
    raise NotImplementedError
