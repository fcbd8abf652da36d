"""What this article says of all optimizers, counted."""

from collections.abc import Callable
from inspect import signature
from itertools import combinations
from typing import Any

import torch
from inside_torch.claims import counted, optimizers
from torch import nn

Made = Callable[[list[nn.Parameter]], torch.optim.Optimizer]
OPTIONS = {
    "weight_decay": 0.1,
    "momentum": 0.9,
    "nesterov": True,
    "maximize": True,
    "amsgrad": True,
    "centered": True,
}


def weight(value: float = 1.0) -> nn.Parameter:
    return nn.Parameter(torch.full((2, 2), value, device="cpu"))


def gradient(kind: type, value: float) -> torch.Tensor:
    """A gradient of the layout that the optimizer takes; a sparse one stores each number, zeros too."""
    dense = torch.ones(2, 2, device="cpu")
    return (dense.to_sparse() if issubclass(kind, torch.optim.SparseAdam) else dense) * value


def defaults() -> dict[str, type]:
    """Each optimizer with its defaults."""
    return optimizers()


def implementations() -> dict[str, tuple[type, dict[str, Any]]]:
    """Each optimizer, and each again for `foreach` and `fused` where it takes them."""
    found = {}
    for name, kind in optimizers().items():
        found[name] = (kind, {})
        for way in "foreach", "fused":
            if way in signature(kind).parameters:
                found[f"{name} {way}"] = (kind, {way: True})
    return found


def with_options() -> dict[str, tuple[type, dict[str, Any]]]:
    """Each implementation with each set of the options above that its constructor takes."""
    found = {}
    for name, (kind, way) in implementations().items():
        taken = [option for option in OPTIONS if option in signature(kind).parameters]
        for count in range(len(taken) + 1):
            for chosen in combinations(taken, count):
                given = {**way, **{option: OPTIONS[option] for option in chosen}}
                try:
                    kind([weight()], **given)
                except (RuntimeError, ValueError):
                    continue
                found[" ".join((name, *chosen))] = (kind, given)
    return found


class Decays(torch.optim.SGD):
    """Decays what has no gradient too, by hand."""

    def step(self, closure=None):
        with torch.no_grad():
            for group in self.param_groups:
                for parameter in group["params"]:
                    parameter.mul_(0.9)
        return super().step(closure)


@counted(with_options, planted=lambda: (Decays, {}), minimum=150, timeout=300)
def none_is_left(case: tuple[type, dict[str, Any]]) -> bool:
    """A parameter that never had a gradient is left as it is by a step."""
    kind, given = case
    moved, left = weight(), weight()
    optimizer = kind([moved, left], **given)
    moved.grad = gradient(kind, 0.5)
    optimizer.step(lambda: torch.ones((), device="cpu"))
    return not torch.equal(moved, weight()) and torch.equal(left, weight())


class Scales(torch.optim.SGD):
    """Scales the gradients in place before it uses them."""

    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.grad.mul_(0.5)
        return super().step(closure)


@counted(with_options, planted=lambda: (Scales, {}), minimum=150, timeout=300)
def gradient_is_left(case: tuple[type, dict[str, Any]]) -> bool:
    """Two steps leave the numbers in `.grad` as they were."""
    kind, given = case
    moved = weight()
    optimizer = kind([moved], **given)
    for _ in range(2):
        moved.grad = gradient(kind, 0.5)
        optimizer.step(lambda: torch.ones((), device="cpu"))
        if not torch.equal(moved.grad.to_dense(), torch.full((2, 2), 0.5, device="cpu")):
            return False
    return True


class Replaces(torch.optim.SGD):
    """Puts new memory under the parameter."""

    def step(self, closure=None):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter.data = parameter.data - parameter.grad


@counted(implementations, planted=lambda: (Replaces, {}), minimum=25)
def step_writes_in_place(case: tuple[type, dict[str, Any]]) -> bool:
    """A step writes into the parameter's memory, and its version counter goes up."""
    kind, given = case
    moved = weight()
    optimizer = kind([moved], **given)
    address, version = moved.data_ptr(), moved._version
    moved.grad = gradient(kind, 0.5)
    optimizer.step(lambda: torch.ones((), device="cpu"))
    return not torch.equal(moved, weight()) and moved.data_ptr() == address and moved._version > version


@counted(defaults, planted=lambda: torch.optim.Adam)
def rests_on_zero(kind: type) -> bool:
    """After one step with a gradient, a step with zeros as gradient leaves the only parameter as it is."""
    moved = weight()
    optimizer = kind([moved])
    moved.grad = gradient(kind, 0.5)
    optimizer.step(lambda: torch.ones((), device="cpu"))
    before = moved.detach().clone()
    moved.grad = gradient(kind, 0.0)
    optimizer.step(lambda: torch.ones((), device="cpu"))
    return torch.equal(moved, before)


@counted(defaults, planted=lambda: torch.optim.LBFGS)
def one_call_of_the_closure(kind: type) -> bool:
    """A step under `no_grad` calls the closure once, with recording on, and returns what it returned."""
    moved, seen = weight(), []
    optimizer = kind([moved])

    def closure() -> torch.Tensor:
        seen.append(torch.is_grad_enabled())
        loss = (moved**2).sum()
        moved.grad = gradient(kind, 0.5)
        return loss

    with torch.no_grad():
        returned = optimizer.step(closure)
    return seen == [True] and returned.item() == 4.0


def tensors(value: Any) -> list[torch.Tensor]:
    """The tensors in nested dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for entry in value for tensor in tensors(entry)] if isinstance(value, list) else []


def with_state() -> dict[str, tuple[type, bool]]:
    """The optimizers, their state to be loaded as it is."""
    return {name: (kind, False) for name, kind in optimizers().items()}


@counted(with_state, planted=lambda: (torch.optim.Adam, True))
def loading_shares(case: tuple[type, bool]) -> bool:
    """If type and device are right, each tensor of state that is loaded is the tensor that was given."""
    kind, copied = case
    given = {"momentum": 0.9} if kind is torch.optim.SGD else {}
    first, second = weight(), weight()
    optimizer, other = kind([first], **given), kind([second], **given)
    first.grad = gradient(kind, 0.5)
    optimizer.step(lambda: torch.ones((), device="cpu"))
    saved = optimizer.state_dict()
    if copied:
        saved["state"] = {0: {key: value.clone() for key, value in saved["state"][0].items()}}
    other.load_state_dict(saved)
    before = tensors(list(optimizer.state.values()))
    after = tensors(list(other.state.values()))
    return bool(before) and [id(tensor) for tensor in before] == [id(tensor) for tensor in after]
