"""Writes in place on lazy tensors: what is recorded of them."""

import torch
from torch import Tensor
from watch import nodes


# region writes
def by_name(x: Tensor) -> Tensor:
    """Writes to a tensor of its own, and goes on with that."""
    y = x * 2
    y.sub_(1)
    return y.sum()


def by_view(x: Tensor) -> Tensor:
    """Writes through a view."""
    y = x * 2
    y[0].sub_(1)
    return y.sum()


def to_input(x: Tensor) -> Tensor:
    """Writes to its argument."""
    x.sub_(1)
    return x.sum()


# endregion

if __name__ == "__main__":
    # region recorded
    for function in by_name, by_view, to_input:
        x = torch.ones(2).to("lazy")
        other = x
        names = [name for name in nodes(function(x)) if name != "device_data"]
        print(f"{function.__name__:9}", *names, "| x is", other.tolist(), "version", x._version)
    # endregion
    # region layers
    x = torch.ones(2).to("lazy")
    print(type(x).__name__, torch._is_functional_tensor(x), torch._C._dispatch_keys(x))
    # endregion
