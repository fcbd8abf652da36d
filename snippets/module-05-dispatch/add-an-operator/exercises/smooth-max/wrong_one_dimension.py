"""Adds one dimension to the input that has fewer, where two may be missing."""

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
    return a.new_empty(torch.broadcast_shapes(a.shape, b.shape), dtype=torch.promote_types(a.dtype, b.dtype))


def setup_context(ctx, inputs: tuple[Tensor, Tensor, float], output: Tensor) -> None:
    a, b, ctx.eps = inputs
    ctx.save_for_backward(a, b)


def backward(ctx, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
    a, b = ctx.saved_tensors
    gap = a - b
    lean = gap / (gap.square() + ctx.eps**2).sqrt()  # from -1, where b is the greater, to 1
    # An input that was broadcast has had its say many times. The engine sums, and converts.
    return *(
        grad * share / 2 if needed else None
        for share, needed in zip((1 + lean, 1 - lean), ctx.needs_input_grad[:2], strict=True)
    ), None


smooth_max.register_autograd(backward, setup_context=setup_context)


@smooth_max.register_vmap
def _(info, in_dims: tuple[int | None, ...], a: Tensor, b: Tensor, eps: float = 1e-3) -> tuple[Tensor, int]:
    # The batch goes in front of all that broadcasts, so both need the same number of dimensions behind it.
    tensors = [
        x.unsqueeze(0) if dim is None else x.movedim(dim, 0)
        for x, dim in zip((a, b), in_dims[:2], strict=True)
    ]
    rank = max(x.dim() for x in tensors)
    a, b = (x if x.dim() == rank else x.unsqueeze(1) for x in tensors)
    return smooth_max(a, b, eps), 0


smooth_max.register_autocast("cpu", torch.float32)
