"""Rank 0 sums, whatever its operation is."""

import torch

OPERATIONS = {"SUM": torch.add, "MAX": torch.maximum, "MIN": torch.minimum, "PRODUCT": torch.mul}


def two_ranks(
    zero: torch.Tensor, one: torch.Tensor, operation_of_zero: str, operation_of_one: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """The tensors of rank 0 and rank 1 afterwards.

    Both are contiguous and have one dimension, as many elements, and elements of as many bytes. Their types
    and operations need not be the same.
    """
    quarter = -(-zero.numel() // 4)
    cut = 2 * quarter
    by_zero = OPERATIONS["SUM"](zero[:cut], one[:cut].view(zero.dtype))
    by_one = OPERATIONS[operation_of_one](one[cut:], zero[cut:].view(one.dtype))
    return (
        torch.cat([by_zero, by_one.view(zero.dtype)]),
        torch.cat([by_zero.view(one.dtype), by_one]),
    )
