"""What this article says of operators that broadcast, counted."""

import torch
from inside_torch.claims import counted, derivatives


def gradients(key: str, *shapes: tuple[int, ...]) -> list[torch.Size] | None:
    """The shapes of what this operator's node returns when it is called; None where it has no node."""
    name, _, overload = key.partition(".")
    inputs = [torch.full(shape, 0.5, requires_grad=True) for shape in shapes]
    try:
        result = getattr(getattr(torch.ops.aten, name), overload or "default")(*inputs)
        if result.shape != (3, 2) or not result.requires_grad:
            return None
        return [gradient.shape for gradient in result.grad_fn(torch.ones_like(result))]
    except (RuntimeError, NotImplementedError):
        return None  # it does not broadcast, or has no derivative


def operators_that_broadcast() -> list[str]:
    """The operators with a formula that take two tensors, broadcast them, and give both a gradient."""
    two = [key for key, entry in derivatives().items() if "(Tensor self, Tensor other" in entry["name"]]
    return [key for key in two if gradients(key, (2,), (3, 2)) and gradients(key, (3, 2), (2,))]


@counted(operators_that_broadcast, planted="copysign.Tensor", minimum=15)
def formulas_do_not_sum(key: str) -> bool:
    """The node of an operator that broadcasts two tensors returns two gradients of the result's shape."""
    found = [*gradients(key, (2,), (3, 2)), *gradients(key, (3, 2), (2,))]
    return found == [(3, 2)] * 4
