"""Looks at the loss before the step ends, so that its graph is run twice and noise is drawn twice."""

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
        losses.append(loss.item())
        torch._lazy.mark_step()
    return losses, state
