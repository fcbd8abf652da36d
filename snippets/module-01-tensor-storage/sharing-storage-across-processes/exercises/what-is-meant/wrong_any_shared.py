"""Leaves all as they are if one of them is in shared memory already."""

from torch import Tensor


def parcel(tensors: list[Tensor]) -> list[Tensor]:
    """The same numbers, ready to be sent, in as many tensors."""
    if any(tensor.is_shared() for tensor in tensors):
        return tensors
    return [
        tensor.clone() if 2 * tensor.nbytes < tensor.untyped_storage().nbytes() else tensor
        for tensor in tensors
    ]
