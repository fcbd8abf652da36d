"""What this article says of dispatch keys, counted."""

import warnings

import torch
from inside_torch.claims import counted, has_kernel, overloads


def dtypes() -> dict[str, torch.dtype]:
    """The dtypes of the release, by their names."""
    return {str(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}


@counted(dtypes, planted=lambda: torch.quint8, minimum=40)
def dtype_is_no_key(dtype: torch.dtype) -> bool:
    """A dense tensor on the CPU has the dispatch keys that one of `float32` has."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensor = torch.empty(3, dtype=dtype, device="cpu")
    return str(torch._C._dispatch_keys(tensor)) == str(torch._C._dispatch_keys(torch.empty(3, device="cpu")))


def selected() -> list[str]:
    """The overloads with a kernel of their own at `BackendSelect`."""
    return [name for name in overloads() if has_kernel(f"aten::{name}", "BackendSelect")]


def noted() -> list[str]:
    """The overloads with a kernel of their own at `ADInplaceOrView`."""
    return [name for name in overloads() if has_kernel(f"aten::{name}", "ADInplaceOrView")]


def schema_of(name: str) -> torch._C.FunctionSchema:
    """The schema of an overload, by its name without the namespace."""
    operator, _, overload = name.partition(".")
    return torch._C._get_schema(f"aten::{operator}", overload)


@counted(selected, planted="add.Tensor")
def selected_names_device(name: str) -> bool:
    """An operator with a kernel at `BackendSelect` has an argument `device`."""
    return any(argument.name == "device" for argument in schema_of(name).arguments)


@counted(noted, planted="add.Tensor", minimum=500)
def noted_writes_or_views(name: str) -> bool:
    """An operator with a kernel at `ADInplaceOrView` writes to an argument or returns a view."""
    schema = schema_of(name)
    return any(argument.alias_info for argument in [*schema.arguments, *schema.returns])
