"""Resets nothing: with a new backend what was compiled is compiled again, but what was skipped is not."""

from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.utils import counters


def kinds(function: Callable, *arguments: Any) -> set[str]:
    """The first lines of the messages of all breaks that one call met, in frames that were given up too."""
    counters.clear()
    torch.compile(function, backend=lambda graph, examples: graph.forward)(*arguments)
    return {message.splitlines()[0] for one in ("graph_break", "unimplemented") for message in counters[one]}
