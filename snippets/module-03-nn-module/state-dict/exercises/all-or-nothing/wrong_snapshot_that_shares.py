"""Keeps the state dict itself to go back to, which shares its memory with the module."""

from collections.abc import Mapping
from typing import Any

from torch import nn


def load_whole(module: nn.Module, state_dict: Mapping[str, Any]) -> None:
    before = module.state_dict()
    try:
        module.load_state_dict(state_dict)
    except Exception:
        module.load_state_dict(before)
        raise
