"""An operator that has a name and a kernel and nothing else, asked for more than values."""

import warnings

import numpy as np
import torch
from torch import Tensor

# region operator
library = torch.library.Library("book", "DEF")
library.define("smooth_abs(Tensor x, float eps=1e-3) -> Tensor")


def foreign(x: Tensor, eps: float = 1e-3) -> Tensor:
    """Stands for any kernel that torch cannot see into: a library, a file of CUDA."""
    values = x.detach().cpu().numpy()
    return torch.asarray(np.sqrt(values * values + eps * eps), device=x.device)


for key in "CPU", "CUDA":
    library.impl("smooth_abs", foreign, key)
smooth_abs = torch.ops.book.smooth_abs
# endregion

# region ask
x = torch.tensor([-300.0, 0.0, 300.0], requires_grad=True)


def values() -> list[float]:
    return smooth_abs(x).tolist()


def gradient() -> list[float]:
    (smooth_abs(x) + x).sum().backward()
    return x.grad.tolist()


def transform() -> list[float]:
    return torch.func.grad(lambda v: smooth_abs(v).sum())(x.detach()).tolist()


def compiled() -> list[float]:
    return torch.compile(smooth_abs, backend="aot_eager", fullgraph=True)(x.detach()).tolist()


def autocast() -> list[float]:
    with torch.autocast(x.device.type, dtype=torch.float16):
        return smooth_abs(x.detach().half()).tolist()


# endregion


if __name__ == "__main__":
    for ask in values, gradient, transform, compiled, autocast:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                result = ask()
            except RuntimeError as error:
                result = f"{type(error).__name__}: {str(error).splitlines()[0]}"
        print(f"{ask.__name__}: {result}")
        for warning in caught:
            print("    warning:", str(warning.message).split(". ")[0])
