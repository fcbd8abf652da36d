"""Looks at the attributes of the module and of its children, and not at those of their children."""

from torch import nn


def unregistered(module: nn.Module) -> list[str]:
    known = {id(parameter) for parameter in module.parameters()}
    seen: set[int] = set()
    found: list[str] = []

    def look(path: str, value: object) -> None:
        if not isinstance(value, (nn.Parameter, nn.Module, list, tuple, dict)) or id(value) in seen:
            return
        seen.add(id(value))
        if isinstance(value, nn.Parameter):
            if id(value) not in known:
                found.append(path)
        elif isinstance(value, nn.Module):
            dot = f"{path}." if path else ""
            for kept in (vars(value), value._parameters, value._modules):
                for name, below in kept.items():
                    if kept is not vars(value) or name not in ("_parameters", "_buffers", "_modules"):
                        look(dot + name, below)
        else:
            items = value.items() if isinstance(value, dict) else enumerate(value)
            for key, below in items:
                look(f"{path}[{key!r}]", below)

    for place, part in [("", module), *module.named_children()]:
        for name, value in vars(part).items():
            if name not in ("_parameters", "_buffers", "_modules"):
                look(f"{place}.{name}" if place else name, value)
    return found
