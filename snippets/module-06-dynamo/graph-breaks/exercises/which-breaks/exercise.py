"""Which kinds of breaks one compiled call met."""

from collections.abc import Callable
from typing import Any


def kinds(function: Callable, *arguments: Any) -> set[str]:
    """The first lines of the messages of all breaks that one call met, in frames that were given up too."""
    raise NotImplementedError
