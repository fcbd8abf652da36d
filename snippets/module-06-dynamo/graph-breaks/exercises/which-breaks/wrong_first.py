"""Takes only the first message of those that the other counter has."""

from collections.abc import Callable
from typing import Any

import torch
from torch._dynamo.utils import counters


def kinds(function: Callable, *arguments: Any) -> set[str]:
    """The first lines of the messages of all breaks that one call met, in frames that were given up too."""
    torch._dynamo.reset()
    counters.clear()
    torch.compile(function, backend="eager")(*arguments)
    messages = [*counters["graph_break"], *list(counters["unimplemented"])[:1]]
    return {message.splitlines()[0] for message in messages}
