"""Asks `explain`, which has a reason for each graph, and none for a frame that left no graph."""

from collections.abc import Callable
from typing import Any

import torch


def kinds(function: Callable, *arguments: Any) -> set[str]:
    """The first lines of the messages of all breaks that one call met, in frames that were given up too."""
    told = torch._dynamo.explain(function)(*arguments)
    return {reason.reason.splitlines()[0] for reason in told.break_reasons}
