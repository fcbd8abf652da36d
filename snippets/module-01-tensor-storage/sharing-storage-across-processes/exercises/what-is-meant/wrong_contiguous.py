"""Asks for contiguous tensors: a few rows of a matrix are contiguous, and bring all of it."""

from torch import Tensor


def parcel(tensors: list[Tensor]) -> list[Tensor]:
    """The same numbers, ready to be sent, in as many tensors."""
    return [tensor if tensor.is_shared() else tensor.contiguous() for tensor in tensors]
