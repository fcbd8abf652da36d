"""Load a state dict whole, or leave the module as it was."""

from collections.abc import Mapping
from typing import Any

from torch import nn


def load_whole(module: nn.Module, state_dict: Mapping[str, Any]) -> None:
    """Load `state_dict` into `module`, as `module.load_state_dict(state_dict)` does.

    If that raises, the parameters and buffers of the module are the same objects as before and hold the
    numbers that they held before, the extra states are those from before, and what was raised reaches the
    caller.
    """
    raise NotImplementedError
