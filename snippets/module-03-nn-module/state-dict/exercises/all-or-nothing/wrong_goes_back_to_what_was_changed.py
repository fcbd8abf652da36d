"""Goes back to the objects of the module: an extra state that was changed in place stays changed."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn


def load_whole(module: nn.Module, state_dict: Mapping[str, Any]) -> None:
    kept = []
    for each in module.modules():
        for tensors in each._parameters, each._buffers:
            numbers = {name: value.detach().clone() for name, value in tensors.items() if value is not None}
            kept.append((tensors, dict(tensors), numbers))
        kept.append((vars(each), dict(vars(each)), {}))
    try:
        module.load_state_dict(state_dict)
    except Exception:
        with torch.no_grad():
            for own, before, numbers in kept:
                own.clear()
                own.update(before)
                for name, value in numbers.items():
                    own[name].copy_(value)
        raise
