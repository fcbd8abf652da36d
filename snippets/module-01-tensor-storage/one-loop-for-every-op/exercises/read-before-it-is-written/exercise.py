"""In place, and right: an operand that the loop would write before it has read it is copied first."""

from collections.abc import Callable

from torch import Tensor


def in_place(operation: Callable[[Tensor, Tensor], object], target: Tensor, operand: Tensor) -> None:
    """`operation(target, operand)`, which writes to `target`, as if `operand` had been copied before.

    The operation is elementwise, and the operand stretches to the target's shape. Both have one dtype and
    lie at multiples of its size, and each element of the target has a place of its own. The operand is
    handed on as it is, unless an element of the target would be computed from the place of another one: in
    which order the loop goes is not to be relied on. If PyTorch refuses what is handed on, it raises.
    """
    raise NotImplementedError
