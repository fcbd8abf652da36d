"""Each rank reduces the whole for itself."""

import torch

OPERATIONS = {"SUM": torch.add, "MAX": torch.maximum, "MIN": torch.minimum, "PRODUCT": torch.mul}


def two_ranks(
    zero: torch.Tensor, one: torch.Tensor, operation_of_zero: str, operation_of_one: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """The tensors of rank 0 and rank 1 afterwards.

    Both are contiguous and have one dimension, as many elements, and elements of as many bytes. Their types
    and operations need not be the same.
    """
    return (
        OPERATIONS[operation_of_zero](zero, one.view(zero.dtype)),
        OPERATIONS[operation_of_one](one, zero.view(one.dtype)),
    )
