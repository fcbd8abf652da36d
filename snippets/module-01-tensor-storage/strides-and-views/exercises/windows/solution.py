"""Windows over a row of numbers, without a copy where none is needed."""

from torch import Tensor


def windows(x: Tensor, length: int) -> Tensor:
    """A step to the next window is as long as one to the next number, whatever that is."""
    return x.as_strided((x.shape[0] - length + 1, length), (x.stride(0), x.stride(0)), x.storage_offset())


def rows(x: Tensor, length: int) -> Tensor:
    """`reshape` views where it can."""
    return x.reshape(-1, length)


def shares(x: Tensor, length: int) -> bool:
    """`view` is refused exactly where `reshape` copies."""
    try:
        x.view(-1, length)
    except RuntimeError:
        return False
    return True
