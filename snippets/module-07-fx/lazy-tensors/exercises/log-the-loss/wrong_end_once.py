"""Ends one step behind the loop, which makes one graph of all the batches."""

from collections.abc import Callable, Iterable

import torch
import torch._lazy
from torch import Tensor


def logged(
    step: Callable[[Tensor, Tensor], tuple[Tensor, Tensor]], state: Tensor, batches: Iterable[Tensor]
) -> tuple[list[float], Tensor]:
    """The loss of each step as a number, and the last state; `step` gives the next state and the loss."""
    losses = []
    for batch in batches:
        state, loss = step(state, batch)
        losses.append(loss)
    torch._lazy.mark_step()
    return [loss.item() for loss in losses], state
