"""Lets `fullgraph=True` raise, which it does at the first break only."""

from collections.abc import Callable
from typing import Any

import torch


def kinds(function: Callable, *arguments: Any) -> set[str]:
    """The first lines of the messages of all breaks that one call met, in frames that were given up too."""
    torch._dynamo.reset()
    try:
        torch.compile(function, backend="eager", fullgraph=True)(*arguments)
    except torch._dynamo.exc.Unsupported as error:
        return {str(error).splitlines()[0]}
    return set()
