"""What autocast does to each operator of its lists, for four kinds of devices, found out by calling them.

No such device is needed: the tensors are fakes, which say that they are on one and have its dispatch keys.
Below autocast, in the slot of autograd, stands a function of ours: it notes the types that arrive, and ends
the call.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

import torch
from inside_torch.claims import has_kernel, overloads
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode

BACKENDS = ("CPU", "CUDA", "MPS", "XPU")
#: The build for CUDA adds this one, with a wrapper of its own.
ADDED = "_cudnn_rnn"
#: What is given where a default would not do.
ARGUMENTS = {"stft": {"hop_length": 1, "win_length": 1}, "multi_margin_loss": {"p": 1, "margin": 1}}
#: An argument that is no tensor and has no default, by its type.
VALUES: dict[str, Any] = {
    "int": 1,
    "float": 1.0,
    "number": 1.0,
    "bool": False,
    "List[int]": [1, 1],
    "str": "ij,ij",
}


class Arrived(Exception):
    """Ends a call, and tells the operator that arrived below autocast and the types that came with it."""


@cache
def listed(backend: str) -> list[str]:
    """The operators for which autocast has a kernel."""
    key = f"Autocast{backend}"
    return [name for name in overloads() if name != ADDED and has_kernel(f"aten::{name}", key)]


def floats(values: Any) -> Iterator[torch.dtype]:
    """The types of the tensors among arguments, in lists too."""
    for value in values:
        if isinstance(value, Tensor):
            yield value.dtype
        elif isinstance(value, list | tuple):
            yield from floats(value)


def arguments(name: str, tensor: Callable[[], Tensor]) -> tuple[list[Any], dict[str, Any]]:
    """What an operator can be called with, up to where its kernel would look at sizes."""
    ordered, named = [], {}
    for argument in operator(name)._schema.arguments:
        kind, given = str(argument.type), ARGUMENTS.get(name.partition(".")[0], {})
        if "Tensor" in kind:
            value = [tensor(), tensor()] if kind.startswith("List") else tensor()
        elif argument.name in given:
            value = given[argument.name]
        elif argument.has_default_value():
            continue
        else:
            value = None if kind.startswith("Optional") else VALUES[kind]
        if argument.kwarg_only or named:
            named[argument.name] = value
        else:
            ordered.append(value)
    return ordered, named


def operator(name: str) -> Any:
    base, _, overload = name.partition(".")
    return getattr(getattr(torch.ops.aten, base), overload or "default")


# region ask
def below(name: str, backend: str, *dtypes: torch.dtype) -> tuple[str, set[torch.dtype], list[Any]]:
    """Call an operator with tensors of these types in turn, and say what arrives below autocast."""
    device, left = backend.lower(), list(dtypes)

    def tensor() -> Tensor:
        left.append(left.pop(0))
        return torch.empty(2, 2, dtype=left[-1], device=device)

    with FakeTensorMode():
        ordered, named = arguments(name, tensor)
    torch.set_autocast_enabled(device, True)
    try:
        operator(name)(*ordered, **named)
    except Arrived as arrived:
        return arrived.args
    finally:
        torch.set_autocast_enabled(device, False)
    raise AssertionError(f"{name} did not come by")


def policy(name: str, backend: str) -> str:
    """What is done to the arguments: told by what arrives for single, for half, and for both mixed."""
    half, single = torch.get_autocast_dtype(backend.lower()), torch.float32
    try:
        _, of_single, _ = below(name, backend, single)
        called, of_half, chosen = below(name, backend, half)
        _, of_both, _ = below(name, backend, single, half)
    except RuntimeError as error:
        assert "unsafe to autocast" in str(error), (name, error)
        return "refused"
    if called != name:
        return "another overload, with a dtype"
    if chosen == [single]:
        return "dtype=float32 passed"
    return {
        ("half", "half", "half"): "cast to half",
        ("single", "single", "single"): "cast to float32",
        ("single", "half", "single"): "cast to the widest",
    }[tuple("half" if found == {half} else "single" for found in (of_single, of_half, of_both))]


# endregion


def policies(backend: str) -> dict[str, str]:
    """The policy of each operator of the list of a backend."""

    def note(name: str) -> Callable[..., None]:
        def kernel(*ordered: Any, **named: Any) -> None:
            values = [*ordered, *named.values()]
            chosen = [value for value in values if isinstance(value, torch.dtype)]
            raise Arrived(name, set(floats(values)), chosen)

        return kernel

    names = listed(backend)
    with torch.library._scoped_library("aten", "IMPL") as library:
        for name in {*names, "norm.ScalarOpt_dtype", "norm.ScalarOpt_dim_dtype"}:
            library.impl(name, note(name), f"Autograd{backend}")
        return {name: policy(name, backend) for name in names}


def main() -> None:
    found = {backend: policies(backend) for backend in BACKENDS}
    counts = {backend: Counter(found[backend].values()) for backend in BACKENDS}
    kinds = list(dict.fromkeys(kind for backend in ("CPU", "CUDA") for kind in found[backend].values()))
    print(f"{'':32}", *(f"{backend:>5}" for backend in BACKENDS))
    for kind in sorted(kinds, key=lambda kind: -counts["CUDA"][kind]):
        print(f"{kind:32}", *(f"{counts[backend][kind]:5}" for backend in BACKENDS))
    print(f"{'operators listed':32}", *(f"{counts[backend].total():5}" for backend in BACKENDS))
    rest = ("MTIA", "MAIA", "HPU", "IPU", "XLA", "PrivateUse1")
    print("operators listed for others:", *(f"{backend} {len(listed(backend))}" for backend in rest))
    both = found["CPU"].keys() & found["CUDA"].keys()
    print("on both lists, CPU's and CUDA's:", len(both))
    for name in sorted(both):
        if found["CPU"][name] != found["CUDA"][name]:
            print(f"  {name}: {found['CPU'][name]}, {found['CUDA'][name]}")


if __name__ == "__main__":
    main()
