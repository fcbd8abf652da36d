"""One break: what Dynamo does between the call that it cannot trace and the function that resumes."""

import torch
import torch._dynamo as dynamo
from torch import Tensor


# region path
def broken(x: Tensor) -> Tensor:
    """An operation on each side of a break."""
    y = x.sin()
    dynamo.graph_break()
    return y.cos()


def path() -> Tensor:
    """The first call, in which both halves are compiled."""
    dynamo.reset()
    return torch.compile(broken, backend="eager")(torch.zeros(2))


# endregion

if __name__ == "__main__":
    print(path().tolist())
