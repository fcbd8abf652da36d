"""What this article says of every operator, counted."""

from inside_torch.claims import counted, derivatives, dispatch_table, has_kernel


def formulas_with_a_kernel() -> list[str]:
    """The operators of derivatives.yaml that are no composites of others, which record in their stead."""
    return [name for name in derivatives() if not has_kernel(f"aten::{name}", "CompositeImplicitAutograd")]


@counted(formulas_with_a_kernel, planted="linear", minimum=600)
def formula_has_wrapper(name: str) -> bool:
    """An operator with a formula and a kernel of its own has a generated wrapper, which runs before it."""
    return dispatch_table(f"aten::{name}").get("AutogradCPU", "").startswith("VariableType_")
