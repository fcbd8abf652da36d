"""The C++ names that the generators write for an operator, and which of them the wheel's libraries have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from torchgen.packaged.autograd.gen_python_functions import get_pycname
from torchgen.packaged.autograd.gen_trace_type import type_wrapper_name
from torchgen.packaged.autograd.gen_view_funcs import view_func_name

from inside_torch.operators.catalogue import Operator
from inside_torch.pins.elf import Library, demangle
from inside_torch.pins.names import bare
from inside_torch.pins.witness import Libraries

_ANONYMOUS = "(anonymous namespace)::"
#: Last parts of names that say nothing about the operator; the part before them does.
METHODS = ("call", "redispatch", "impl", "meta", "apply", "operator()")


class Presence(StrEnum):
    """What the symbol tables say of a name."""

    function = "function"  # a function of its own
    inlined = "inlined"  # only inside the names of other symbols, such as the stub that it was inlined into
    absent = "absent"  # not in the binary


@dataclass(frozen=True)
class Generated:
    """A C++ name, what it is for, and the library that has it (None where none does)."""

    name: str
    role: str
    presence: Presence
    library: str | None


def names(operator: Operator) -> Iterator[tuple[str, str]]:
    """(qualified name, role) of every function that the generators may write for an operator; anonymous
    namespaces, which the generators nest as they like, are left out.
    """
    function = operator.function
    unambiguous = function.func.name.unambiguous_name()
    wrapper = type_wrapper_name(function)
    yield f"at::_ops::{unambiguous}::call", "entry: asks the dispatcher for a kernel"
    yield f"at::_ops::{unambiguous}::redispatch", "entry: with the keys that are left"
    if operator.python:
        base = str(function.func.name.name)
        yield f"torch::autograd::{get_pycname(base)}", "Python binding"
    for key in {"Default": None} | {one.key: None for one in operator.derivatives}:
        yield f"torch::autograd::VariableType::{type_wrapper_name(function, key)}", "Autograd kernel"
    yield f"torch::ADInplaceOrView::{wrapper}", "ADInplaceOrView kernel"
    yield f"torch::TraceType::{wrapper}", "Tracer kernel"
    yield f"at::functionalization::{wrapper}", "Functionalize kernel"
    yield f"at::functorch::{unambiguous}_generated_plumbing", "FuncTorchBatched kernel"
    for derivative in operator.derivatives:
        if derivative.node:
            yield f"torch::autograd::generated::{derivative.node}::apply", "backward node"
    if operator.view:
        yield f"torch::autograd::generated::{view_func_name(function)}::operator()", "replays the view"
    for kernel in operator.kernels:
        yield f"at::{kernel.registered}", f"{kernel.key} kernel as registered"
        if kernel.kernel:
            yield kernel.kernel, f"{kernel.key} kernel"


def symbols(operator: Operator, libraries: Libraries) -> list[Generated]:
    """The names of an operator, each with what the libraries' symbol tables say.

    Raises :class:`BookError` on a platform whose libraries cannot be searched.
    """
    roles: dict[str, list[str]] = {}
    for name, role in names(operator):
        roles.setdefault(name, []).append(role)
    held = search(list(roles), libraries.present)
    return [Generated(held[name][0], ", ".join(several), *held[name][1:]) for name, several in roles.items()]


def search(wanted: Iterable[str], libraries: Iterable[Path]) -> dict[str, tuple[str, Presence, str | None]]:
    """How the libraries have each of the qualified names: its full name there, presence, library."""
    found: dict[str, tuple[str, Presence, str | None]] = {
        name: (name, Presence.absent, None) for name in wanted
    }
    tokens = {_token(name) for name in found}
    for path in libraries:
        library = Library(path)
        try:
            held = library.symbols_holding(tokens)
        finally:
            library.close()
        inside: list[str] = []
        for mangled, function in held.items():
            shown = demangle(mangled)
            inside.append(shown.replace(_ANONYMOUS, ""))
            if function and not mangled.endswith(".cold"):
                own = _own(shown)
                name = own.replace(_ANONYMOUS, "")
                if name in found:
                    found[name] = (own, Presence.function, path.name)
        for name, (_, presence, _) in found.items():
            pattern = re.compile(rf"(?<![\w:]){re.escape(name)}(?![\w:])")
            if presence is Presence.absent and any(pattern.search(shown) for shown in inside):
                found[name] = (name, Presence.inlined, path.name)
    return found


def _token(name: str) -> bytes:
    """A piece of the mangled name that few other symbols hold; kernels as registered share theirs."""
    parts = name.split("::")
    part = parts[-2] if parts[-1] in METHODS else parts[-1]
    if wrapper := re.fullmatch(r"wrapper_[^_]+(_.*)", part):
        return wrapper[1].encode() + b"E"
    return b"%d%s" % (len(part), part.encode())


def _own(shown: str) -> str:
    """The qualified name of a demangled function, without return type, template arguments and parameters."""
    name = bare(shown).replace(_ANONYMOUS, "\0").partition("<")[0]
    return name.rpartition(" ")[2].replace("\0", _ANONYMOUS)
