"""Returns tensors of the CPU, which compare like the numbers that are asked for."""

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
        torch._lazy.mark_step()
        losses.append(loss.cpu())
    return losses, state
