"""Which kinds of breaks one compiled call met."""

from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.utils import counters


def kinds(function: Callable, *arguments: Any) -> set[str]:
    """The first lines of the messages of all breaks that one call met, in frames that were given up too."""
    torch._dynamo.reset()
    counters.clear()
    torch.compile(function, backend="eager")(*arguments)
    return {message.splitlines()[0] for one in ("graph_break", "unimplemented") for message in counters[one]}
