"""Divides by the bytes of the tensor, of which there may be none."""

from torch import Tensor


def parcel(tensors: list[Tensor]) -> list[Tensor]:
    """The same numbers, ready to be sent, in as many tensors."""
    return [
        tensor
        if tensor.is_shared() or tensor.untyped_storage().nbytes() / tensor.nbytes <= 2
        else tensor.clone()
        for tensor in tensors
    ]
