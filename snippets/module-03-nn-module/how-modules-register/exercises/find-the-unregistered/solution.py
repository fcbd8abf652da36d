"""Find the parameters that a module holds and does not know of."""

from torch import nn


def unregistered(module: nn.Module) -> list[str]:
    """The paths of the parameters below `module` that `module.parameters()` does not yield."""
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

    look("", module)
    return found
