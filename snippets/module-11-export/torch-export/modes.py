"""The same forwards, captured by Python and by Dynamo, beside what they say in eager."""

import random
import threading
import time
import warnings

import torch
from torch import Tensor, nn
from torch.export import export

calls = {"number": 0}


# region forwards
def counts(x: Tensor) -> Tensor:
    """Keeps a number outside of the module."""
    calls["number"] += 1
    return x * calls["number"]


def asks_type(x: Tensor) -> Tensor:
    """A question that is True of each tensor that is no subclass."""
    return x * 2 if type(x) is torch.Tensor else x


def catches(x: Tensor) -> Tensor:
    """A branch on a value in a `try`."""
    try:
        return x * 2 if x.sum() > 0 else x
    except RuntimeError:
        return x * 100


def draws(x: Tensor) -> Tensor:
    """A number that is drawn by Python."""
    return x * random.randint(2, 2)


def clock(x: Tensor) -> Tensor:
    """A branch on the time."""
    return x * 2 if time.time() > 0 else x


def numpy(x: Tensor) -> Tensor:
    """Through NumPy and back."""
    return torch.from_numpy(x.numpy() * 2)


def thread(x: Tensor) -> Tensor:
    """Computed by another thread."""
    results: list[Tensor] = []
    worker = threading.Thread(target=lambda: results.append(x * 2))
    worker.start()
    worker.join()
    return results[0]


# endregion


class Calls(nn.Module):
    """A module whose forward is a function."""

    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: Tensor) -> Tensor:
        """What the function says."""
        return self.function(x)


def told(function, strict: bool) -> str:
    """What a second call of the exported module says, and what the export warned of; or how it failed."""
    torch._dynamo.reset()
    calls["number"] = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exported = export(Calls(function), (torch.ones(2, device="cpu"),), strict=strict).module()
        except Exception as error:
            return type(error).__name__
    exported(torch.ones(2, device="cpu"))
    said = f"{exported(torch.ones(2, device='cpu'))[0].item():g}"
    return said + (", warned" if any("side effects" in str(one.message) for one in caught) else "")


if __name__ == "__main__":
    print(f"{'':10}  {'eager':7} {'non-strict':15} strict")
    for function in counts, asks_type, catches, draws, clock, numpy, thread:
        calls["number"] = 1  # as at a second call
        eager = f"{function(torch.ones(2, device='cpu'))[0].item():g}"
        print(f"{function.__name__:10}  {eager:7} {told(function, False):15} {told(function, True)}")
