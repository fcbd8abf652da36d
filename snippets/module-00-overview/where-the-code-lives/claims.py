"""What this article says of the names of generated kernels, counted."""

import torch
from inside_torch.claims import counted, has_kernel


def writing_or_viewing() -> list[str]:
    """The overloads that write to an argument or return a view, composites left out."""
    names = []
    for schema in torch._C._jit_get_all_schemas():
        name = f"{schema.name}.{schema.overload_name}".rstrip(".")
        aliases = [argument.alias_info for argument in [*schema.arguments, *schema.returns]]
        if (
            name.startswith("aten::")
            and any(aliases)
            and torch._C._dispatch_has_kernel(name)
            and not has_kernel(name, "CompositeImplicitAutograd")
        ):
            names.append(name.removeprefix("aten::"))
    return names


@counted(writing_or_viewing, planted="add.Tensor", minimum=1000)
def functionalization_kernel(name: str) -> bool:
    """An operator that writes to an argument or returns a view has a functionalization kernel."""
    return has_kernel(f"aten::{name}", "Functionalize")
