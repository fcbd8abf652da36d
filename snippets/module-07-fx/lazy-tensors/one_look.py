"""One operator on a lazy tensor, and one look at its result."""

import torch
import torch._lazy
from torch._lazy import ts_backend

ts_backend.init()


# region path
x = torch.tensor([-1.0, 2.0]).to("lazy")


def path() -> list[float]:
    """Recorded, and looked at."""
    y = torch.nn.functional.silu(x)
    return y.tolist()


# endregion

if __name__ == "__main__":
    print([round(number, 4) for number in path()])
