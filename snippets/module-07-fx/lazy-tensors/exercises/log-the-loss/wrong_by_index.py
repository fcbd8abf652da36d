"""Takes the batches by their index, which a loader of batches does not have."""

from collections.abc import Callable, Iterable

import torch
import torch._lazy
from torch import Tensor


def logged(
    step: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]], state: Tensor, batches: Iterable[Tensor]
) -> tuple[list[float], Tensor]:
    """The loss of each step as a number, and the last state; `step` gives the next state and the loss."""
    losses = []
    for i in range(len(batches)):
        state, loss = step(state, batches[i])
        torch._lazy.mark_step()
        losses.append(loss.item())
    return losses, state
