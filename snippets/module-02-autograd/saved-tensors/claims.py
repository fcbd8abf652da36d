"""What this article says of all writes, counted."""

from inspect import signature

import torch
from inside_torch.claims import counted, has_kernel, optimizers


def writing(returned: bool) -> list[str]:
    """The overloads that write to an argument, no composites, by whether they return something of it."""
    names = []
    for schema in torch._C._jit_get_all_schemas():
        name = f"{schema.name}.{schema.overload_name}".rstrip(".")
        if (
            name.startswith("aten::")
            and any(argument.alias_info and argument.alias_info.is_write for argument in schema.arguments)
            and any(result.alias_info and result.alias_info.is_write for result in schema.returns) == returned
            and torch._C._dispatch_has_kernel(name)
            and not has_kernel(name, "CompositeImplicitAutograd")
        ):
            names.append(name.removeprefix("aten::"))
    return names


def writing_and_returning() -> list[str]:
    """The overloads that return something that they wrote, `x.add_()` and `out=` among them."""
    return writing(returned=True)


def writing_and_not_returning() -> list[str]:
    """The overloads that write and return nothing that they wrote, such as those on lists of tensors."""
    return writing(returned=False)


@counted(writing_and_returning, planted="_fused_sgd_", minimum=900)
def returned_write_is_counted(name: str) -> bool:
    """An ATen operator that returns something that it wrote has a kernel at ADInplaceOrView."""
    return has_kernel(f"aten::{name}", "ADInplaceOrView")


@counted(writing_and_not_returning, planted="add_.Tensor", minimum=150)
def silent_write_is_not_counted(name: str) -> bool:
    """An ATen operator that writes and returns nothing that it wrote has no kernel at ADInplaceOrView."""
    return not has_kernel(f"aten::{name}", "ADInplaceOrView")


def lists_in_place() -> dict[str, torch._C.FunctionSchema]:
    """The in-place operators on lists of tensors, `_foreach_*_`."""
    return {
        f"{schema.name}.{schema.overload_name}".removeprefix("aten::").rstrip("."): schema
        for schema in torch._C._jit_get_all_schemas()
        if schema.name.startswith("aten::_foreach_") and schema.name.endswith("_")
    }


def value(argument: torch._C.Argument) -> object:
    """Something that an operator on a list of one tensor of one element takes for an argument."""
    kind = str(argument.type)
    if kind == "List[Tensor]":
        return [torch.full((1,), 0.5)]
    if kind == "Tensor":
        return torch.ones(1) if argument.name == "scalars" else torch.tensor(1.0)
    return [1.0] if kind.startswith("List[") else 1.0


def schema_of(name: str) -> torch._C.FunctionSchema:
    """An operator's schema."""
    return next(schema for schema in torch._C._jit_get_all_schemas() if schema.name == name)


@counted(lists_in_place, planted=lambda: schema_of("aten::_foreach_exp"), minimum=60)
def list_write_is_counted_on_the_cpu(schema: torch._C.FunctionSchema) -> bool:
    """On the CPU an in-place operator on a list counts one write for the tensor in it."""
    operator = getattr(
        getattr(torch.ops.aten, schema.name.removeprefix("aten::")), schema.overload_name or "default"
    )
    given = [value(a) for a in schema.arguments if not a.has_default_value() and not a.kwarg_only]
    operator(*given)
    return given[0][0]._version == 1


def ways_to_step() -> dict[str, tuple[type, dict[str, bool]]]:
    """Every optimizer, and each of the three ways to step that it has."""
    found = {}
    for name, kind in optimizers().items():
        found[name] = (kind, {})
        for way in ("foreach", "fused"):
            if way in signature(kind).parameters:
                found[f"{name}({way}=True)"] = (kind, {way: True})
                if way == "foreach":
                    found[name] = (kind, {way: False})
    return found


def counts(kind: type, how: dict[str, bool]) -> bool:
    """Whether a step of an optimizer counts as a write to the parameter."""
    parameter = torch.nn.Parameter(torch.ones(2, 2, device="cpu"))
    parameter.grad = torch.ones(2, 2, device="cpu")
    if kind is torch.optim.SparseAdam:
        parameter.grad = parameter.grad.to_sparse()
    kind([parameter], lr=0.1, **how).step(lambda: torch.ones(()))
    return parameter._version > 0


@counted(ways_to_step, planted=lambda: (torch.optim.SGD, {"fused": True, "foreach": False}), minimum=25)
def step_is_counted(way: tuple[type, dict[str, bool]]) -> bool:
    """On the CPU a step of an optimizer counts as a write to its parameters."""
    return counts(*way)
