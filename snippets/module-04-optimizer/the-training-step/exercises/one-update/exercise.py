"""Write one update of a training loop, from chunks of any sizes."""

from collections.abc import Callable, Sequence

import torch


def one_update(
    parameters: Sequence[torch.Tensor],
    optimizer: torch.optim.Optimizer,
    scaler: torch.amp.GradScaler,
    chunks: Sequence[torch.Tensor],
    loss_of_each: Callable[[torch.Tensor], torch.Tensor],
    max_norm: float,
) -> tuple[float, bool]:
    """Step once, as if all items of the chunks had come in one batch whose loss is the mean over the items.

    `loss_of_each` gives the loss of each item of a chunk. The whole batch does not fit into memory, so the
    backward of a chunk comes before the loss of the next. The gradients are clipped to `max_norm`.
    Returned are their norm before that, in the units of the loss, and whether the weights were stepped.
    """
    raise NotImplementedError
