"""A checkpoint of your own, from `saved_tensors_hooks` and nothing else of PyTorch's checkpointing."""

from collections.abc import Callable

from torch import Tensor


def checkpoint(fn: Callable[..., Tensor], *args: Tensor) -> Tensor:
    """Run `fn(*args)` and keep none of the tensors that its operators ask to keep.

    The first time that backward wants one of them, `fn(*args)` runs again, once, and hands over what its
    operators ask to keep this time: the first for the first, the second for the second, and so on.

    Raises RuntimeError, with "modified by an inplace operation" in it, if an argument was changed between the
    two runs: what would be computed again would not be what was.
    """
    raise NotImplementedError
