"""What this article says of the names of generated kernels, and of the types that they know, counted."""

import re
import warnings
from functools import cache
from pathlib import Path

import torch
from inside_torch.claims import counted, has_kernel, native_functions
from torchgen.model import UfuncInnerLoop, UfuncKey


def _aliasing(composite: bool) -> dict[str, bool]:
    """The overloads that write to an argument (True) or return a view: the composites, or all others."""
    names = {}
    for schema in torch._C._jit_get_all_schemas():
        name = f"{schema.name}.{schema.overload_name}".rstrip(".")
        aliases = [argument.alias_info for argument in [*schema.arguments, *schema.returns]]
        if (
            name.startswith("aten::")
            and any(aliases)
            and torch._C._dispatch_has_kernel(name)
            and has_kernel(name, "CompositeImplicitAutograd") == composite
        ):
            names[name.removeprefix("aten::")] = any(alias and alias.is_write for alias in aliases)
    return names


def writing_or_viewing() -> list[str]:
    """The overloads that write to an argument or return a view, composites left out."""
    return list(_aliasing(composite=False))


@counted(writing_or_viewing, planted="add.Tensor", minimum=1000)
def functionalization_kernel(name: str) -> bool:
    """A non-composite that writes to an argument or returns a view has a functionalization kernel."""
    return has_kernel(f"aten::{name}", "Functionalize")


def writing_composites() -> list[str]:
    """The composite overloads that write to an argument."""
    return [name for name, writes in _aliasing(composite=True).items() if writes]


@counted(writing_composites, planted="add_.Tensor", minimum=150)
def composite_writes(name: str) -> bool:
    """A composite that writes to an argument has no functionalization kernel."""
    return not has_kernel(f"aten::{name}", "Functionalize")


def kernels_by_key() -> dict[str, set[str]]:
    """The dispatch keys of the entries, each with the names of its kernels."""
    named = {}
    for entry in native_functions().values():
        for keys, kernel in entry.get("dispatch", {}).items():
            for key in keys.split(","):
                named.setdefault(key.strip(), set()).add(kernel)
    return named


def undeclared() -> set[str]:
    return {"a_kernel_of_nobody"}


@cache
def declared() -> set[str]:
    """The words of the headers that declare kernels."""
    headers = (Path(torch.__file__).parent / "include/ATen/ops").glob("*_native.h")
    return {word for header in headers for word in re.findall(r"\w+", header.read_text())}


@counted(kernels_by_key, planted=undeclared, minimum=20)
def kernels_declared(kernels: set[str]) -> bool:
    """The kernels that entries name for a dispatch key are declared in headers of the wheel."""
    names = {kernel.rpartition("::")[2] for kernel in kernels}
    return all({name, f"structured_{name}"} & declared() for name in names)


def meta_twice() -> list[str]:
    """The overloads that have a kernel for `Meta` in C++ and a function in the tables of decompositions."""
    tables = torch._decomp.global_decomposition_table
    names = {
        overload.name()
        for kind in ("meta", "post_autograd")
        for overload in tables[kind]
        if isinstance(overload, torch._ops.OpOverload) and overload.namespace == "aten"
    }
    return sorted(name.removeprefix("aten::") for name in names if "RegisterMeta" in _meta_lines(name))


def _meta_lines(name: str) -> str:
    dump = torch._C._dispatch_dump(name).splitlines()
    return "\n".join(line for line in dump if line.startswith("Meta"))


@counted(meta_twice, planted="view", minimum=400)
def python_meta_wins(name: str) -> bool:
    """Where C++ and a table of decompositions both have a kernel for `Meta`, Python's is active."""
    active = [line for line in _meta_lines(f"aten::{name}").splitlines() if line.startswith("Meta:")]
    return "_meta_registrations.py" in active[0]


def python_metas() -> list[str]:
    """The operators of ATen with a function of Python as the active kernel for `Meta`."""
    names = [name for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")]
    return [name for name in names if re.search(r"^Meta: .*\.py:", _meta_lines(name), re.MULTILINE)]


@cache
def tabled() -> set[str]:
    """The overloads in the tables of decompositions."""
    tables = torch._decomp.global_decomposition_table.values()
    return {op.name() for table in tables for op in table if isinstance(op, torch._ops.OpOverload)}


@counted(python_metas, planted="prims::sin", minimum=1000)
def python_meta_from_tables(name: str) -> bool:
    """A kernel in Python of an operator of ATen's for `Meta` comes from the tables of decompositions."""
    return name in tabled() and "/torch/_meta_registrations.py:" in _meta_lines(name)


def pairs() -> dict[str, torch.Tensor]:
    """A dense tensor of each type that can be made."""
    types = {type_ for type_ in vars(torch).values() if isinstance(type_, torch.dtype)}
    with warnings.catch_warnings(action="ignore"):
        return {str(type_): torch.empty(2, dtype=type_, device="cpu") for type_ in types}


def sparse_booleans() -> torch.Tensor:
    return torch.ones(2, dtype=torch.bool, device="cpu").to_sparse()


@counted(pairs, planted=sparse_booleans, minimum=30)
def listed_types(tensor: torch.Tensor) -> bool:
    """Two dense tensors of one type are added on the CPU just where the list of `add.out` has the type."""
    texts = native_functions()["add.out"]["ufunc_inner_loop"].values()
    loops = [UfuncInnerLoop.parse(text, UfuncKey.Generic) for text in texts]
    names = {str(type_) for loop in loops for type_ in loop.supported_dtypes}
    listed = tensor.type().rpartition(".")[2].removesuffix("Tensor") in names
    try:
        torch.add(tensor, tensor)
    except RuntimeError:
        return not listed
    return listed
