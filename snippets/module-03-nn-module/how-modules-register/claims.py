"""What this article says of assignments, and of the modules of torch.nn, counted."""

from collections.abc import Callable
from typing import Any

import torch
from inside_torch.claims import built_nn_modules, counted, subclasses
from torch import nn

KEPT_IN = ("__dict__", "_parameters", "_buffers", "_modules")

# One statement about the name x; each may raise.
STEPS: dict[str, Callable[[nn.Module], Any]] = {
    "parameter": lambda module: setattr(module, "x", nn.Parameter(torch.ones(1))),
    "buffer": lambda module: setattr(module, "x", nn.Buffer(torch.ones(1))),
    "module": lambda module: setattr(module, "x", nn.Identity()),
    "tensor": lambda module: setattr(module, "x", torch.ones(1)),
    "number": lambda module: setattr(module, "x", 1),
    "None": lambda module: setattr(module, "x", None),
    "del": lambda module: delattr(module, "x"),
    "register_parameter": lambda module: module.register_parameter("x", nn.Parameter(torch.ones(1))),
    "register_parameter None": lambda module: module.register_parameter("x", None),
    "register_buffer": lambda module: module.register_buffer("x", torch.ones(1), persistent=False),
    "add_module": lambda module: module.add_module("x", nn.Identity()),
}


def kept_in(module: nn.Module) -> list[str]:
    """The dictionaries of a module that hold the name x."""
    return [name for name in KEPT_IN if "x" in (vars(module) if name == "__dict__" else vars(module)[name])]


def pairs() -> dict[str, tuple[str, ...]]:
    """Two of the statements, one after the other."""
    return {f"{first}, then {second}": (first, second) for first in STEPS for second in STEPS}


def after(steps: tuple[str, ...]) -> list[str]:
    """The dictionaries that hold the name after some statements, of which some may raise."""
    module = nn.Module()
    for step in steps:
        if step == "past":  # for the planted member alone: what no assignment does
            vars(module)["x"] = 1
            continue
        try:
            STEPS[step](module)
        except (AttributeError, KeyError, TypeError):
            continue
    return kept_in(module)


@counted(pairs, planted=lambda: ("parameter", "past"))
def one_place(steps: tuple[str, ...]) -> bool:
    """After two statements about one name, and any third, at most one of the four dictionaries holds it."""
    return all(len(after((*steps, *third))) <= 1 for third in [(), *((step,) for step in STEPS)])


def with_parameters() -> dict[str, nn.Module]:
    """Those of them that have a parameter."""
    return {
        name: module for name, module in built_nn_modules().items() if any(True for _ in module.parameters())
    }


def registering() -> dict[str, nn.Module]:
    """Those of them that have a parameter, a buffer or a child."""
    homes = KEPT_IN[1:]
    return {
        name: module
        for name, module in built_nn_modules().items()
        if any(vars(module)[home] for home in homes)
    }


class Hidden(nn.Module):
    """Registers a name that its class defines."""

    encoder = None

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Linear(2, 2)


@counted(registering, planted=lambda: Hidden(), minimum=50)
def no_name_hidden(module: nn.Module) -> bool:
    """A module of torch.nn registers no name that its class defines, nor does a module in it."""
    return not any(
        hasattr(type(part), name)
        for part in module.modules()
        for kept in KEPT_IN[1:]
        for name in vars(part)[kept]
    )


class Rebuilds(nn.Module):
    """Makes new parameters where Module changes the data of those that are there."""

    def __init__(self) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.ones(1))

    def _apply(self, fn: Callable[..., Any], recurse: bool = True) -> "Rebuilds":
        self.w = nn.Parameter(fn(self.w.data))
        return self


@counted(with_parameters, planted=lambda: Rebuilds(), minimum=40)
def same_parameters(module: nn.Module) -> bool:
    """The parameters of a module of torch.nn stay the same objects in `double()` on the CPU."""
    before = dict(module.named_parameters())
    after = dict(module.double().named_parameters())
    return list(before) == list(after) and all(
        before[name] is after[name] and after[name].dtype is torch.float64 for name in before
    )


def in_torch_nn() -> dict[str, type]:
    """The subclasses of Module that the packages below torch.nn define."""
    found = subclasses(nn.Module, "torch.nn.utils.parametrizations", "torch.nn.cpp")
    return {name: kind for name, kind in found.items() if kind.__module__.startswith("torch.nn.")}


class Own(nn.Module):
    """Has a `__setattr__` of its own."""

    def __setattr__(self, name: str, value: Any) -> None:
        super().__setattr__(name, value)


@counted(in_torch_nn, planted=lambda: Own, minimum=150)
def setattr_of_module(kind: type) -> bool:
    """A module class that torch.nn defines has the `__setattr__` of Module."""
    return kind.__setattr__ is nn.Module.__setattr__
