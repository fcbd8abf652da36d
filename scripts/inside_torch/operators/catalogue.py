"""What the release says of one operator: its entries in the YAML files, and what torchgen makes of them.

torchgen is the generator that the release was built with, and comes in its wheel. It is asked what it writes,
so that none of its rules is repeated here. It does not import torch.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import yaml as pyyaml
from torchgen import gen
from torchgen.api import meta
from torchgen.api.autograd import DifferentiabilityInfo, match_differentiability_info
from torchgen.dest import RegisterDispatchKey
from torchgen.model import (
    BackendIndex,
    DispatchKey,
    NativeFunction,
    NativeFunctionsGroup,
    NativeFunctionsViewGroup,
    OperatorName,
    dispatch_keys,
)
from torchgen.packaged.autograd import gen_python_functions as python
from torchgen.packaged.autograd import load_derivatives
from torchgen.selective_build.selector import SelectiveBuilder
from torchgen.utils import Target

from inside_torch.errors import BookError, nearest
from inside_torch.pins.wheel import Wheel

NATIVE = "aten/src/ATen/native/native_functions.yaml"
DERIVATIVES = "tools/autograd/derivatives.yaml"

_LOADER = getattr(pyyaml, "CSafeLoader", pyyaml.SafeLoader)
_REGISTRATION = re.compile(r'm\.impl\("([^"]+)",\s*TORCH_FN\((\w+)\)\)')
_SPELLINGS = re.compile(r"^(?:torch\.ops\.)?aten(?:::|\.)")
#: Tags that torchgen gives to operators of its own making.
_OWN_TAGS = ("generated",)


@dataclass(frozen=True)
class Kernel:
    """What is registered for a dispatch key: the function ``registered``, which calls ``kernel``.

    ``kernel`` is a qualified C++ name, empty where the registered function does the work itself. ``origin``
    says what in the YAML it comes from.
    """

    key: str
    kernel: str
    registered: str
    origin: str


@dataclass(frozen=True)
class Derivative:
    """A formula of ``derivatives.yaml``: ``entry`` holds it for the dispatch key ``key``.

    ``node`` is the class of the graph's node, None where nothing is differentiable. ``formulas`` maps the
    differentiated arguments (``self``; ``input, weight``) to theirs, and results to the forward formulas.
    """

    entry: str
    key: str
    node: str | None
    formulas: dict[str, str]


class Operator:
    """One overload of one operator of ATen."""

    def __init__(self, catalogue: Catalogue, function: NativeFunction) -> None:
        self.catalogue = catalogue
        self.function = function

    @property
    def name(self) -> str:
        """``add.Tensor``."""
        return str(self.function.func.name)

    @property
    def schema(self) -> str:
        return f"aten::{self.function.func}"

    @property
    def base(self) -> str:
        """The name of the headers that torchgen writes for it and its overloads: ``add``."""
        return self.function.root_name

    @property
    def variants(self) -> list[str]:
        return sorted(variant.name for variant in self.function.variants)

    @property
    def tags(self) -> list[str]:
        return sorted(self.function.tags - set(_OWN_TAGS))

    @property
    def generated(self) -> bool:
        """Whether it has no entry of its own: torchgen adds it to that of :attr:`entry`."""
        return "generated" in self.function.tags

    @cached_property
    def entry(self) -> str:
        """The operator whose entry of ``native_functions.yaml`` it comes from: itself, or the one whose
        ``autogen`` names it.
        """
        if not self.generated:
            return self.name
        return next(
            str(other.func.name)
            for other in self.catalogue.family(self.base_of(self.function))
            if self.function.func.name in other.autogen
        )

    @property
    def group(self) -> NativeFunctionsGroup | None:
        """The functional, in-place and ``out=`` operators that are one to torchgen."""
        return self.catalogue.group(self.function)

    @cached_property
    def family(self) -> dict[str, str]:
        """Kind (``functional``, ``inplace``, ``out``, ``mutable``; ``view_copy``) to the other operators of
        its group.
        """
        members = list(self.group.functions()) if self.group else []
        found = {one.func.kind().name: str(one.func.name) for one in members}
        if copy := self.catalogue.view_copy(self.function):
            found["view_copy"] = copy
        return {kind: name for kind, name in found.items() if name != self.name}

    @property
    def overloads(self) -> list[str]:
        """The other operators of its name: in place, ``out=``, of other argument types."""
        family = self.catalogue.family(self.base_of(self.function))
        return sorted(str(one.func.name) for one in family if one is not self.function)

    @staticmethod
    def base_of(function: NativeFunction) -> str:
        """The name that all overloads share: ``add`` of ``add_.Tensor``."""
        return function.func.name.name.base

    @property
    def structured(self) -> str | None:
        """How it is structured: the ``out=`` operator that has the kernel; None where it is not."""
        group = self.group
        if group is None or not group.structured:
            return None
        return str(group.out.func.name)

    @property
    def ufunc(self) -> dict[str, str]:
        """The scalar function that the loops are generated around, and for which types: ``Generic`` to
        ``add (…)``.
        """
        group = self.group
        if group is None:
            return {}
        return {
            str(key): f"{loop.name} ({', '.join(map(str, loop.supported_dtypes))})"
            for key, loop in group.out.ufunc_inner_loop.items()
        }

    @property
    def view(self) -> bool:
        """Whether its result shares the memory of an argument."""
        return self.function.is_view_op

    @cached_property
    def python(self) -> list[str]:
        """The names by which generated bindings offer it to Python."""
        if not python.should_generate_py_binding(self.function):
            return []
        name, module = str(self.function.func.name.name), self.function.python_module
        if module is not None:
            return [f"torch._C._{module}.{name}"]
        found = [f"torch.{name}"] if python.is_py_torch_function(self.function) else []
        return found + ([f"torch.Tensor.{name}"] if python.is_py_variable_method(self.function) else [])

    @cached_property
    def kernels(self) -> list[Kernel]:
        """What torchgen registers, by dispatch key, in torchgen's order of the keys."""
        subject = self.group or self.function
        found = []
        for key, index in self.catalogue.indices(self.base_of(self.function)):
            # SymInt and ROCm change the bodies and not the names that are registered.
            write = RegisterDispatchKey(
                index,
                Target.REGISTRATION,
                SelectiveBuilder.get_nop_selector(),
                rocm=False,
                symint=True,
                class_method_name=None,
                skip_dispatcher_op_registration=False,
            )
            for name, registered in _REGISTRATION.findall("\n".join(write(subject))):
                if name == self.name:
                    kernel, origin = self._kernel(key, index)
                    found.append(Kernel(str(key), kernel, registered, origin))
        return found

    def _kernel(self, key: DispatchKey, index: BackendIndex) -> tuple[str, str]:
        """The kernel of a key, by its qualified name, and what in the YAML it comes from."""
        own, group = index.get_kernel(self.function), self.group
        shared = index.get_kernel(group) if group is not None and group.structured else None
        if group is not None and shared is not None and shared.structured:
            name = f"{shared.cpp_namespace}::structured_{shared.kernel}::impl"
            out = str(group.out.func.name)
            how = "ufunc_inner_loop" if shared.kernel.startswith("ufunc_") else "dispatch"
            if out == self.name:
                return name, f"the {how} of its entry"
            return name, f"the {how} of {out}, its structured_delegate"
        if own is not None:
            kernel = f"{own.cpp_namespace}::{own.kernel}"
            if self.generated:
                return kernel, f"the autogen list of {self.entry}"
            if "dispatch" not in self.catalogue.raw(self.function):
                return kernel, "the default of an entry with no dispatch: made of other operators"
            return kernel, "the dispatch of its entry"
        if group is not None and group.structured:
            # Meta works out the shape and stops; the other key makes a tensor, then calls the out= operator.
            return f"at::meta::structured_{meta.name(group)}::meta", "the default of a structured operator"
        return "", "the default on meta of an in-place form: nothing to compute"

    @cached_property
    def derivatives(self) -> list[Derivative]:
        """Its formulas, by autograd key; none where ``derivatives.yaml`` has none for it."""
        return self.catalogue.derivatives(self.function)


class Catalogue:
    """Every operator of the release. torchgen reads no more entries than those asked for need."""

    def __init__(self, wheel: Wheel) -> None:
        self.wheel = wheel
        #: name of an operator: the name it shares with its overloads
        self.names: dict[str, str] = {}
        #: that name: lines (1-based, the first, one past the last) of the entries
        self._entries: dict[str, list[tuple[int, int]]] = defaultdict(list)
        self._families: dict[str, list[NativeFunction]] = {}
        self._indices: dict[str, list[tuple[DispatchKey, BackendIndex]]] = {}
        packaged = wheel.site / "torchgen" / "packaged" / "ATen" / "native"
        self._tags = gen.parse_tags_yaml(str(packaged / "tags.yaml"))
        lines = self._lines(NATIVE)
        starts = [number for number, line in enumerate(lines, start=1) if line.startswith("- func:")]
        for start, end in zip(starts, [*starts[1:], len(lines) + 1], strict=True):
            name = lines[start - 1].removeprefix("- func:").partition("(")[0].strip()
            base = OperatorName.parse(name).name.base
            self._entries[base].append((start, end))
            written = [line for line in lines[start : end - 1] if line.startswith("  autogen:")]
            made = [one.strip() for line in written for one in line.partition(":")[2].split(",")]
            self.names |= dict.fromkeys([name, *made], base)

    def find(self, written: str) -> Operator | list[Operator]:
        """The operator of a name (``add.Tensor``, ``aten::add.Tensor``, ``torch.ops.aten.add.Tensor``).

        ``linear`` means the overload with no name of its own; where there is none, all that could be meant
        are returned. Raises :class:`BookError` where there is no such operator.
        """
        name = _SPELLINGS.sub("", written.strip()).removesuffix(".default")
        meant = [name] if name in self.names else [one for one in self.names if one.split(".")[0] == name]
        found = [
            Operator(self, function)
            for one in meant
            for function in self.family(self.names[one])
            if str(function.func.name) == one
        ]
        if found:
            return found[0] if name in self.names else found
        # autogen may name what torchgen then does not write, for operators made of others.
        own = [one for one in self.names if one.split(".")[0] == name.split(".")[0] and one != name]
        raise BookError(
            "op-unknown",
            f"no operator {written!r} in {NATIVE}",
            "a name such as add.Tensor, add_.Tensor, add.out or add",
            nearest(name, own or self.names, 5) or ", ".join(own[:5]),
        )

    def family(self, base: str) -> list[NativeFunction]:
        """The operators that share a name, in the order of the file."""
        if base not in self._families:
            self._read([base])
        return self._families[base]

    def indices(self, base: str) -> list[tuple[DispatchKey, BackendIndex]]:
        """The kernels of the operators that share a name, by dispatch key, in torchgen's order of keys."""
        self.family(base)
        return self._indices[base]

    def _read(self, bases: Iterable[str]) -> None:
        """Has torchgen read the entries of these names."""
        entries = []
        for base in bases:
            for start, end in self._entries[base]:
                entries.append(self._entry(start, end) | {"__line__": start})
            self._families[base] = []
        parsed = gen.parse_native_yaml_struct(entries, self._tags, path=NATIVE)
        # torchgen goes through every key, for some kernels follow from a schema and no entry names them.
        empty = BackendIndex(DispatchKey.Undefined, True, False, False, {})
        found = parsed.backend_indices
        by_key = [(key, found.get(key) or replace(empty, dispatch_key=key)) for key in dispatch_keys]
        by_key += [(key, index) for key, index in found.items() if key not in dispatch_keys]
        for base in bases:
            self._indices[base] = by_key
        for function in parsed.native_functions:
            self._families[Operator.base_of(function)].append(function)

    def _entry(self, start: int, end: int) -> dict[str, Any]:
        return pyyaml.load("\n".join(self._lines(NATIVE)[start - 1 : end - 1]), Loader=_LOADER)[0]

    def raw(self, function: NativeFunction) -> dict[str, Any]:
        """The entry of ``native_functions.yaml`` as it is written."""
        line = function.loc.line
        spans = self._entries[Operator.base_of(function)]
        return self._entry(*next(span for span in spans if span[0] == line))

    def _lines(self, path: str) -> tuple[str, ...]:
        source = self.wheel.read(path)
        if source is None:
            raise BookError("torch-wheel", f"the wheel holds no {path}", "torchgen beside torch")
        return source.lines

    def group(self, function: NativeFunction) -> NativeFunctionsGroup | None:
        """The group that an operator is in; None for one that stands alone."""
        for one in gen.get_grouped_native_functions(self.family(Operator.base_of(function))):
            if isinstance(one, NativeFunctionsGroup) and function in one.functions():
                return one
        return None

    def _views(self, base: str) -> list[NativeFunctionsViewGroup]:
        both = [
            function
            for name in (base, f"{base}_copy")
            if name in self._entries
            for function in self.family(name)
        ]
        groups = gen.get_grouped_by_view_native_functions(both)
        return [one for one in groups if isinstance(one, NativeFunctionsViewGroup)]

    def view_copy(self, function: NativeFunction) -> str | None:
        """The operator that does as a view does, into new memory."""
        for one in self._views(Operator.base_of(function)) if function.is_view_op else []:
            if one.view is function and one.view_copy is not None:
                return str(one.view_copy.func.name)
        return None

    def derivatives(self, function: NativeFunction) -> list[Derivative]:
        """The formulas of an operator, as torchgen matches them to it; none of an ``out=`` one, which is
        refused where a gradient would be needed.
        """
        if function.func.is_out_fn():
            return []
        base = Operator.base_of(function)
        if base.startswith("_foreach_"):  # differentiated by the formula of some other operator
            infos = dict(self._all_infos)  # torchgen adds what it makes
        else:
            bases = {base, base.removesuffix("_copy")}
            # Nodes of one name are counted, so that every entry whose node may have it takes part.
            prefixes = {_prefix(entry) for entry in self._formulas if _base(entry) in bases}
            infos = self._infos([entry for entry in self._formulas if _prefix(entry) in prefixes], bases)
        matched = match_differentiability_info([function], infos)[0].info or {}
        written = {str(entry["name"]): entry for entry in self._formulas}
        return [_derivative(key, info, written) for key, info in matched.items()]

    @cached_property
    def _formulas(self) -> list[dict[str, Any]]:
        """The entries of ``derivatives.yaml``."""
        return pyyaml.load("\n".join(self._lines(DERIVATIVES)), Loader=_LOADER)

    @cached_property
    def _all_infos(self) -> dict[Any, dict[str, Any]]:
        """torchgen's reading of all of them, which takes some seconds."""
        return self._infos(self._formulas, [])

    def _infos(self, entries: Iterable[dict[str, Any]], bases: Iterable[str]) -> dict[Any, dict[str, Any]]:
        """torchgen's reading of these entries of ``derivatives.yaml``."""
        by_signature: dict[Any, list[NativeFunction]] = defaultdict(list)
        by_schema = {}
        read = {_base(entry) for entry in entries}
        self._read(sorted(read - set(self._families)))
        for base in read:
            for function in self.family(base):
                by_signature[function.func.signature()].append(function)
                by_schema[str(function.func)] = function
        counter: Counter[str] = Counter()
        infos = {}
        for entry in entries:
            name, found = load_derivatives.create_differentiability_info(
                _dispatched(entry), by_signature, by_schema, counter, set()
            )
            infos[name] = found
        views = [group for base in sorted(bases) for group in self._views(base)]
        load_derivatives.add_view_copy_derivatives(infos, views)
        return infos


def _base(entry: dict[str, Any]) -> str:
    """The base name of an entry of ``derivatives.yaml``."""
    return OperatorName.parse(str(entry["name"]).partition("(")[0]).name.base


def _prefix(entry: dict[str, Any]) -> str:
    name = re.split(r"[.(]", str(entry["name"]), maxsplit=1)[0]
    return load_derivatives._create_op_prefix(name)


def _dispatched(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry in the form with dispatch keys: the short form is that of the key ``Default``."""
    if "dispatch" in entry:
        return dict(entry)
    outer = {key: entry[key] for key in ("name", "output_differentiability") if key in entry}
    inner = {key: value for key, value in entry.items() if key not in outer}
    return outer | {"dispatch": {"Default": inner}}


def _derivative(key: str, info: DifferentiabilityInfo, written: dict[str, dict[str, Any]]) -> Derivative:
    schema = str(info.func.func)
    if schema in written:
        formulas = _dispatched(written[schema])["dispatch"][key]
    else:  # made by torchgen from the formula of another operator
        formulas = {", ".join(one.var_names): one.original_formula for one in info.derivatives}
        formulas |= {", ".join(one.var_names): one.formula for one in info.forward_derivatives}
    name = str(info.func.func.name)
    return Derivative(name, key, info.op, {str(of): str(formula) for of, formula in formulas.items()})
