"""Adam for a list of parameters, with a number of calls that does not grow with the list."""

from torch import Tensor


def step_all(
    params: list[Tensor],
    grads: list[Tensor],
    exp_avgs: list[Tensor],
    exp_avg_sqs: list[Tensor],
    step: int,
    *,
    lr: float,
    betas: tuple[float, float],
    eps: float,
    weight_decay: float,
) -> None:
    """Step number ``step``, the first being 1. Writes parameters and averages in place."""
    raise NotImplementedError
