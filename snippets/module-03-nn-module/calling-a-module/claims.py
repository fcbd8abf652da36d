"""What this article says of all modules and of all kinds of hooks, counted."""

import warnings
from collections.abc import Callable
from functools import partial
from inspect import signature

import torch
from inside_torch.claims import counted, nn_modules
from torch import nn
from torch.nn.modules import module as everywhere

STEPS = ("__call__", "_wrapped_call_impl", "_call_impl")


def with_a_step_of_its_own() -> type:
    """A module that replaces one of the steps."""
    return type("Loud", (nn.Module,), {"_call_impl": lambda *_: print("called")})


@counted(nn_modules, planted=with_a_step_of_its_own, minimum=150)
def call_is_inherited(kind: type) -> bool:
    """A module of `torch.nn` has the `__call__`, `_wrapped_call_impl` and `_call_impl` of `Module`."""
    return all(getattr(kind, step) is getattr(nn.Module, step) for step in STEPS)


def modules_in_place() -> dict[str, tuple[type, bool]]:
    """The modules that take `inplace`, to be made with it."""
    return {
        name: (kind, True) for name, kind in nn_modules().items() if "inplace" in signature(kind).parameters
    }


@counted(modules_in_place, planted=lambda: (nn.ReLU, False), minimum=15)
def in_place_refuses_a_hooked_input(case: tuple[type, bool]) -> bool:
    """With `inplace=True` a module raises on the output of a module that has a full backward hook."""
    kind, inplace = case
    given = (0.0, 0.0) if kind is nn.Threshold else ()
    shape = (2, 3, 4) if kind is nn.Dropout1d else (2, 3, 4, 4)
    linear = nn.Linear(4, 4, device="cpu")
    linear.register_full_backward_hook(lambda *_: None)
    try:
        kind(*given, inplace=inplace)(linear(torch.ones(shape, device="cpu")))
    except RuntimeError as error:
        return "BackwardHookFunction is a view and is being modified inplace" in str(error)
    return False


Register = Callable[[Callable[..., None]], object]


def kinds() -> dict[str, tuple[Register, Callable[[nn.Module], Register]]]:
    """The kinds of hook that a call or its backward fires, each with its options: a global and an own one."""
    found = {}
    for name in ("forward_pre", "forward", "full_backward_pre", "full_backward", "backward"):
        register = getattr(everywhere, f"register_module_{name}_hook")
        own = getattr(nn.Module, f"register_{name}_hook")
        options = [
            option
            for option in ("prepend", "with_kwargs", "always_call")
            if option in signature(own).parameters
        ]
        for chosen in [(), *((option,) for option in options)]:
            both = {option: True for option in chosen if option in signature(register).parameters}
            found[" ".join((name, *chosen))] = (
                partial(register, **both),
                lambda module, own=own, chosen=chosen: partial(own, module, **dict.fromkeys(chosen, True)),
            )
    return found


def the_other_way_round() -> tuple[Register, Callable[[nn.Module], Register]]:
    """A forward hook that is called global, and a forward pre-hook that is called the module's own."""
    return everywhere.register_module_forward_hook, lambda module: module.register_forward_pre_hook


@counted(kinds, planted=the_other_way_round, minimum=10)
def global_comes_first(kind: tuple[Register, Callable[[nn.Module], Register]]) -> bool:
    """Of two hooks of one kind the global one runs first, though the module's own was registered before."""
    register, own = kind
    module, order = nn.Linear(1, 1, device="cpu"), []
    everywhere._global_is_full_backward_hook = None
    own(module)(lambda *_: order.append("own"))
    handle = register(lambda *_: order.append("global"))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module(torch.ones(1, 1, device="cpu", requires_grad=True)).sum().backward()
    finally:
        handle.remove()
        everywhere._global_is_full_backward_hook = None
    return order == ["global", "own"]
