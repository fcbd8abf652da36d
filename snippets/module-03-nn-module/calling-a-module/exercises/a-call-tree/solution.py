"""Say which modules ran inside one call, in which order, and how deep in each other."""

from contextlib import ExitStack

import torch
from torch import nn


def call_tree(model: nn.Module, *args: torch.Tensor) -> tuple[object, list[tuple[int, str]]]:
    """Call `model(*args)`. Return its result, and for each call of a module the depth and the name."""
    calls: list[tuple[int, str]] = []
    depth = 0

    def hook_up(stack: ExitStack, name: str, module: nn.Module) -> None:
        def begin(*_: object) -> None:
            nonlocal depth
            calls.append((depth, name))
            depth += 1

        def end(*_: object) -> None:
            nonlocal depth
            depth -= 1

        stack.enter_context(module.register_forward_pre_hook(begin, prepend=True))
        stack.enter_context(module.register_forward_hook(end, always_call=True))

    with ExitStack() as stack:
        for name, module in model.named_modules():
            hook_up(stack, name, module)
        return model(*args), calls
