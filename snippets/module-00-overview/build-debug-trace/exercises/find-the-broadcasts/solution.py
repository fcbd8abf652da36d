"""Find every operator whose operands were stretched to fit, and the line of Python that asked for it."""

import os
import traceback
from typing import NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

NOT_THE_CALLER = (os.path.dirname(torch.__file__) + os.sep, __file__)


class Broadcast(NamedTuple):
    operator: str
    shapes: tuple[tuple[int, ...], ...]
    line: str


def line_of_the_caller() -> str:
    """The innermost line of the stack that is neither PyTorch's nor ours."""
    return next(
        frame.line
        for frame in reversed(traceback.extract_stack())
        if not frame.filename.startswith(NOT_THE_CALLER)
    )


class Finder(TorchDispatchMode):
    """Collects the broadcasts of the operators that run while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Broadcast] = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        # Operands arrive by position, also those the caller named; a tensor among the keywords is an output.
        shapes = tuple(tuple(arg.shape) for arg in args if torch.is_tensor(arg) and arg.dim())
        if torch.Tag.pointwise in func.tags and len(set(shapes)) > 1:
            self.found.append(Broadcast(str(func), shapes, line_of_the_caller()))
        return func(*args, **(kwargs or {}))


def broadcasts(function, *arguments) -> list[Broadcast]:
    with Finder() as finder, torch.no_grad():
        function(*arguments)
    return finder.found
