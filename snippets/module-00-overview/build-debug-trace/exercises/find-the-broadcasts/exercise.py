"""Find every operator whose operands were stretched to fit, and the line of Python that asked for it.

`broadcasts(function, *arguments)` runs `function(*arguments)` and returns a list of `Broadcast`, in the order
in which the operators ran. An operator counts when it is pointwise (`torch.Tag.pointwise in func.tags`) and
two of its operands differ in shape. Operands are its tensor arguments with at least one dimension; `out=`
is none, for it is resized to fit.
"""

from typing import NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Broadcast(NamedTuple):
    operator: str  # "aten.add.Tensor"
    shapes: tuple[tuple[int, ...], ...]  # of the operands, in order
    line: str  # the text of the innermost line of Python that lies neither in torch nor in this file


class Finder(TorchDispatchMode):
    """Collects the broadcasts of the operators that run while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Broadcast] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError


def broadcasts(function, *arguments) -> list[Broadcast]:
    with Finder() as finder, torch.no_grad():
        function(*arguments)
    return finder.found
