"""book::smooth_max(Tensor a, Tensor b, float eps=1e-3) -> Tensor: a maximum that has a slope everywhere."""

import numpy as np
import torch
from torch import Tensor


@torch.library.custom_op("book::smooth_max", mutates_args=())
def smooth_max(a: Tensor, b: Tensor, eps: float = 1e-3) -> Tensor:
    """(a + b + root((a - b)² + eps²)) / 2, by a library that torch cannot see into; a and b broadcast."""
    one, other = a.detach().cpu().numpy(), b.detach().cpu().numpy()
    gap = one - other
    result = (one + other + np.sqrt(gap * gap + eps * eps)) / 2
    return torch.asarray(np.asarray(result, order="C"), device=a.device)


@smooth_max.register_fake
def _(a: Tensor, b: Tensor, eps: float = 1e-3) -> Tensor:
    raise NotImplementedError


def setup_context(ctx, inputs: tuple[Tensor, Tensor, float], output: Tensor) -> None:
    raise NotImplementedError


def backward(ctx, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
    raise NotImplementedError


smooth_max.register_autograd(backward, setup_context=setup_context)


@smooth_max.register_vmap
def _(info, in_dims: tuple[int | None, ...], a: Tensor, b: Tensor, eps: float = 1e-3) -> tuple[Tensor, int]:
    raise NotImplementedError


# And one more line, for autocast.
