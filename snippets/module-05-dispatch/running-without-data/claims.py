"""What this article says of the shape functions of structured operators, counted."""

from pathlib import Path

import torch
from inside_torch.claims import counted
from torch._decomp import global_decomposition_table
from torch._ops import resolve_key


def shape_functions() -> dict[str, str]:
    """The generated headers that declare a shape function, by the operator's name, each with its text."""
    headers = (Path(torch.__file__).parent / "include" / "ATen" / "ops").glob("*_meta.h")
    texts = {header.name.removesuffix("_meta.h"): header.read_text(encoding="utf-8") for header in headers}
    return {name: text for name, text in texts.items() if "struct TORCH_API structured_" in text}


@counted(shape_functions, planted="meta_return_ty meta(const at::Tensor & self);", minimum=200)
def shape_function_returns_nothing(text: str) -> bool:
    """The shape function of a structured operator returns nothing."""
    return "meta_return_ty meta(" not in text and "void meta(" in text


def in_python() -> dict[str, object]:
    """The overloads that a table has a function for, by name, each with that function."""
    assert not global_decomposition_table["pre_autograd"], "the article says that it is empty"
    tables = [global_decomposition_table[kind] for kind in ("pre_autograd", "post_autograd", "meta")]
    return {
        op.name(): (op, function)
        for table in tables
        for op, function in table.items()
        if hasattr(op, "is_view")
    }


def passed_over() -> dict[str, object]:
    """Those whose function `activate_meta` does not register for the dispatcher's table."""
    slots = {
        name: f"\n{torch._C._dispatch_dump_table(name)}".partition("\nMeta: ")[2] for name in in_python()
    }
    return {
        name: found for name, found in in_python().items() if ".py:" not in slots[name].partition("\n")[0]
    }


@counted(passed_over, planted=(torch.ops.aten.add.Tensor, print), minimum=100)
def python_dispatcher_takes_it(found: tuple) -> bool:
    """Under the Python dispatcher, the Python function answers for `Meta`."""
    operator, function = found
    return operator.py_kernels.get(resolve_key(operator, torch._C.DispatchKey.Meta)) is function


def views_in_python() -> list[str]:
    """The views among them that have no composition: `activate_meta` passes them over as views."""
    composed = torch._C._dispatch_has_kernel_for_dispatch_key
    return [
        name
        for name, (op, _) in in_python().items()
        if op.is_view and not composed(name, "CompositeImplicitAutograd")
    ]


@counted(views_in_python, planted="aten::clone", minimum=15)
def view_function_shares(name: str) -> bool:
    """The Python function of a view makes, on meta, a result that shares its base's storage."""
    operator, function = in_python()[name]
    base = torch.ones(4, 4, device="meta")
    lists = {"size": [4, 4], "stride": [4, 1], "split_sizes": [2, 2]}
    arguments = [
        lists.get(argument.name, [0, 1]) if "List" in str(argument.type) else 1
        for argument in operator._schema.arguments[1:]
        if not argument.has_default_value()
    ]
    result = function(base, *arguments)
    first = result[0] if isinstance(result, (list, tuple)) else result
    return first.untyped_storage()._cdata == base.untyped_storage()._cdata
