"""A checkpoint of your own, from `saved_tensors_hooks` and nothing else of PyTorch's checkpointing."""

from collections.abc import Callable

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks


def checkpoint(fn: Callable[..., Tensor], *args: Tensor) -> Tensor:
    """Run `fn(*args)` and keep none of the tensors that its operators ask to keep.

    The first time that backward wants one of them, `fn(*args)` runs again, once, and hands over what its
    operators ask to keep this time: the first for the first, the second for the second, and so on.

    Raises RuntimeError, with "modified by an inplace operation" in it, if an argument was changed between the
    two runs: what would be computed again would not be what was.
    """
    versions = [arg._version for arg in args]
    recomputed: dict[int, Tensor] = {}
    promised = 0

    def promise(_: Tensor) -> int:
        nonlocal promised
        promised += 1
        return promised - 1  # a number is all that the graph holds

    def fulfil(number: int) -> Tensor:
        # Asked each time: what a part of a backward left behind may be the argument's own memory.
        if [arg._version for arg in args] != versions:
            raise RuntimeError("an argument of the checkpoint has been modified by an inplace operation")
        if number not in recomputed:
            recompute()
        return recomputed.pop(number)  # taken out: what was used is not kept for a second backward

    def recompute() -> None:
        def keep(tensor: Tensor) -> Tensor:
            recomputed[len(recomputed)] = tensor.detach()  # with its history it would keep the second graph
            return recomputed[len(recomputed) - 1]

        recomputed.clear()
        # Backward runs with grad mode off, and without grad mode no operator would ask to keep anything.
        with torch.enable_grad(), saved_tensors_hooks(keep, lambda tensor: tensor):
            fn(*args)

    with saved_tensors_hooks(promise, fulfil):
        return fn(*args)
