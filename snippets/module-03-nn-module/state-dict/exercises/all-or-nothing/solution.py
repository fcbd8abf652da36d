"""Load a state dict whole, or leave the module as it was."""

import copy
from collections.abc import Mapping
from typing import Any

from torch import nn


def load_whole(module: nn.Module, state_dict: Mapping[str, Any]) -> None:
    """Load `state_dict` into `module`, or raise and leave the module as it was."""
    copy.deepcopy(module).load_state_dict(state_dict)
    module.load_state_dict(state_dict)
