"""Asks a module that it finds in a container for its registered parameters, and looks no deeper into it."""

from torch import nn


def unregistered(module: nn.Module) -> list[str]:
    known = {id(parameter) for parameter in module.parameters()}
    found: list[str] = []

    def look(path: str, value: object) -> None:
        if isinstance(value, nn.Parameter):
            if id(value) not in known:
                known.add(id(value))
                found.append(path)
        elif isinstance(value, nn.Module):
            for name, parameter in value.named_parameters():
                look(f"{path}.{name}", parameter)
        elif isinstance(value, (list, tuple)):
            for index, below in enumerate(value):
                look(f"{path}[{index}]", below)
        elif isinstance(value, dict):
            for key, below in value.items():
                look(f"{path}[{key!r}]", below)

    for place, part in module.named_modules():
        for name, value in vars(part).items():
            if name not in ("_parameters", "_buffers", "_modules"):
                look(f"{place}.{name}" if place else name, value)
    return found
