"""Keeps the parameters alone to go back to: the buffers of a load that raised stay loaded."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn


def load_whole(module: nn.Module, state_dict: Mapping[str, Any]) -> None:
    before = {name: (each, each.detach().clone()) for name, each in module.named_parameters()}
    try:
        module.load_state_dict(state_dict)
    except Exception:
        with torch.no_grad():
            for name, (parameter, numbers) in before.items():
                owner, _, last = name.rpartition(".")
                setattr(module.get_submodule(owner), last, parameter)
                parameter.copy_(numbers)
        raise
