"""In place, and right: an operand that the loop would write before it has read it is copied first."""

from collections.abc import Callable

import torch
from torch import Tensor


def places(view: Tensor) -> Tensor:
    """For each element its place in the storage, counted in elements."""
    storage = torch.arange(view.untyped_storage().nbytes() // view.element_size(), device="cpu")
    return storage.as_strided(view.shape, view.stride(), view.storage_offset())


def in_place(operation: Callable[[Tensor, Tensor], object], target: Tensor, operand: Tensor) -> None:
    """A copy, if an element is read from the place of another element of the target."""
    if target.untyped_storage().data_ptr() == operand.untyped_storage().data_ptr():
        written = places(target)
        read = places(operand).expand_as(written)
        if (torch.isin(read, written) & (read != written)).any():
            operand = operand.clone()
    operation(target, operand)
