"""Copies what is not contiguous, too: a transposed matrix brings no more than its own bytes."""

from torch import Tensor


def parcel(tensors: list[Tensor]) -> list[Tensor]:
    """The same numbers, ready to be sent, in as many tensors."""
    return [
        tensor
        if tensor.is_shared()
        or (tensor.is_contiguous() and 2 * tensor.nbytes >= tensor.untyped_storage().nbytes())
        else tensor.clone()
        for tensor in tensors
    ]
