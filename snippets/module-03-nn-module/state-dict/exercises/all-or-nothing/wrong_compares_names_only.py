"""Compares the names before it loads, and takes it that what has the right names will load."""

from collections.abc import Mapping
from typing import Any

from torch import nn


def load_whole(module: nn.Module, state_dict: Mapping[str, Any]) -> None:
    if set(module.state_dict()) != set(state_dict):
        raise RuntimeError("Error: other names")
    module.load_state_dict(state_dict)
