"""How much memory a collection of tensors keeps, and the same tensors with less behind them."""

from collections.abc import Iterable, Mapping

from torch import Tensor


def held_bytes(tensors: Iterable[Tensor]) -> int:
    """The bytes that the storages of these strided tensors take, each storage counted once.

    A tensor of the device `meta` has a storage without memory, and counts nothing.
    """
    raise NotImplementedError


def slim(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The same names with tensors of the same numbers, and less hidden behind them.

    A tensor whose `nbytes` are fewer than those of its storage is copied, so that the rest can be freed.
    Tensors of `state` that share a storage go on sharing it, and are the same tensors; so is any other.
    """
    raise NotImplementedError
