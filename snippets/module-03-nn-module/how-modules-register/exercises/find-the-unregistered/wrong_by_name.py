"""Takes a parameter for unregistered where its path is no registered name, though it is registered by another."""

import solution
from torch import nn


def unregistered(module: nn.Module) -> list[str]:
    bare = nn.Module()
    known = {name for name, _ in module.named_parameters()}
    for name, value in vars(module).items():
        if name not in ("_parameters", "_buffers", "_modules", "training"):
            setattr(bare, name, value)
    inner = [
        f"{name}.{path}"
        for name, child in module.named_modules()
        if name
        for path in solution.unregistered(child)
    ]
    return [path for path in solution.unregistered(bare) if path not in known] + inner
