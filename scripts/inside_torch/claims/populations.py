"""Populations of the installed release. The numbers are those of torch 2.13.0, CPU build for Linux x86-64."""

from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import re
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor


@functools.cache
def _site() -> Path:
    """The folder that holds torch and torchgen."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None and spec.origin is not None, "torch is not installed"
    return Path(spec.origin).parents[1]


@functools.cache
def overloads(namespace: str = "aten") -> tuple[str, ...]:
    """Every registered overload of a namespace, without it: ``add.Tensor``, ``relu``."""
    import torch

    start = f"{namespace}::"
    return tuple(
        sorted(name[len(start) :] for name in torch._C._dispatch_get_all_op_names() if name.startswith(start))
    )


def operators(namespace: str = "aten") -> tuple[str, ...]:
    """Every registered operator of a namespace, its overloads as one: ``add``, ``add_``, ``relu``."""
    return tuple(sorted({name.partition(".")[0] for name in overloads(namespace)}))


@functools.cache
def _packaged(path: str) -> list[dict[str, Any]]:
    import yaml

    text = (_site() / "torchgen" / "packaged" / path).read_text(encoding="utf-8")
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


@functools.cache
def native_functions() -> dict[str, dict[str, Any]]:
    """Every entry of native_functions.yaml, by its overload's name (``add.Tensor``)."""
    return {
        entry["func"].partition("(")[0]: entry for entry in _packaged("ATen/native/native_functions.yaml")
    }


@functools.cache
def derivatives() -> dict[str, dict[str, Any]]:
    """Every entry of derivatives.yaml, by its overload's name (``mul.Tensor``)."""
    return {entry["name"].partition("(")[0]: entry for entry in _packaged("autograd/derivatives.yaml")}


@functools.cache
def symbols(library: str = "libtorch_cpu.so", token: str = "") -> tuple[str, ...]:
    """The functions of a library of ``torch/lib`` whose mangled name holds ``token``, demangled."""
    from inside_torch.pins.elf import Library, demangle

    elf = Library(_site() / "torch" / "lib" / library)
    try:
        mangled = [name for name, code in elf.symbols_holding([token.encode()]).items() if code]
    finally:
        elf.close()
    return tuple(sorted({demangle(name) for name in mangled}))


def subclasses(parent: type, *modules: str) -> dict[str, type]:
    """Every class below another, by module and name, once the modules named are imported."""
    for module in modules:
        importlib.import_module(module)
    found: dict[str, type] = {}
    rest = [parent]
    while rest:
        children: list[type] = rest.pop().__subclasses__()
        for child in children:
            name = f"{child.__module__}.{child.__qualname__}"
            if name not in found:
                found[name] = child
                rest.append(child)
    return found


def _exported(module: ModuleType) -> list[str]:
    return list(getattr(module, "__all__", [name for name in vars(module) if not name.startswith("_")]))


def optimizers() -> dict[str, type]:
    """Every optimizer of ``torch.optim``, by name."""
    import torch

    found = {name: getattr(torch.optim, name) for name in dir(torch.optim)}
    parent = torch.optim.Optimizer
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, type) and issubclass(value, parent) and value is not parent
    }


def nn_modules() -> dict[str, type]:
    """Every module class that ``torch.nn`` exports, by name, without ``Module`` itself."""
    import torch

    found = {name: getattr(torch.nn, name) for name in _exported(torch.nn)}
    parent = torch.nn.Module
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, type) and issubclass(value, parent) and value is not parent
    }


@functools.cache
def built_nn_modules() -> dict[str, Any]:
    """Every module that ``torch.nn`` exports and that can be built from a few small numbers, by name.

    One instance of each class for the whole process: a claim changes a copy.
    """
    import torch
    from torch import nn

    torch.set_num_threads(1)
    arguments: dict[str, tuple[Any, ...]] = {
        "AdaptiveLogSoftmaxWithLoss": (4, 4, [2]),
        "MultiheadAttention": (2, 1),
        "RNNBase": ("LSTM", 1, 1),
        "Transformer": (2, 1, 1, 1, 2),
        "TransformerDecoder": (nn.TransformerDecoderLayer(2, 1, 2), 1),
        "TransformerDecoderLayer": (2, 1, 2),
        "TransformerEncoder": (nn.TransformerEncoderLayer(2, 1, 2), 1),
        "TransformerEncoderLayer": (2, 1, 2),
        "Unflatten": (0, (1,)),
    }
    found = {}
    for name, kind in nn_modules().items():
        for given in [arguments[name]] if name in arguments else [(), (1,), (1, 1), (1, 1, 1)]:
            try:
                found[name] = kind(*given)
                break
            except (TypeError, ValueError):
                continue
    return found


def public_functions(module: str) -> dict[str, Any]:
    """Every function, built-in ones too, that a module exports (by ``__all__``, else with no underscore)."""
    loaded = importlib.import_module(module)
    found = {name: getattr(loaded, name) for name in _exported(loaded)}
    return {name: value for name, value in found.items() if inspect.isroutine(value)}


def called(name: str, tensor: Tensor) -> Tensor | None:
    """What a method gives when it is called with no argument, if that is a tensor with a storage."""
    import torch

    torch.manual_seed(0)
    try:
        result = getattr(torch.Tensor, name)(tensor)
    except (IndexError, RuntimeError, TypeError, ValueError, NotImplementedError, AssertionError):
        return None
    return result if isinstance(result, torch.Tensor) and torch._C._has_storage(result) else None


@functools.cache
def tensor_methods(in_place: bool) -> tuple[str, ...]:
    """Every public method, by the ending of its name, that gives a tensor when :func:`called` on a matrix."""
    import torch

    return tuple(
        name
        for name in dir(torch.Tensor)
        if not name.startswith("_")
        and name.endswith("_") == in_place
        and callable(getattr(torch.Tensor, name))
        and called(name, torch.arange(12.0, device="cpu").reshape(3, 4).clone()) is not None
    )


def dispatch_keys() -> tuple[str, ...]:
    """Every dispatch key that ``torch.DispatchKey`` lists, aliases too."""
    import torch

    return tuple(torch._C.DispatchKey.__members__)


@functools.cache
def dispatch_table(operator: str) -> dict[str, str]:
    """The dispatch table of an operator (``aten::mul.Tensor``): key to where its kernel is registered.

    ``VariableType_0.cpp:10502 [autograd kernel]``: file and line as the build has them, then the reason why
    that kernel is the one. Empty where no operator of that name is registered.
    """
    import torch

    if not torch._C._dispatch_has_kernel(operator):
        return {}
    rows = re.findall(
        r"^(\S+): (?:registered at )?(\S+)(?: \[(.*)\])?$",
        torch._C._dispatch_dump_table(operator),
        re.MULTILINE,
    )
    return {key: f"{place.rpartition('/')[2]} [{reason}]" for key, place, reason in rows}


def has_kernel(operator: str, key: str) -> bool:
    """Whether a kernel is registered for an operator (``aten::mul.Tensor``) and a key, an alias too."""
    import torch

    return torch._C._dispatch_has_kernel_for_dispatch_key(operator, key)
