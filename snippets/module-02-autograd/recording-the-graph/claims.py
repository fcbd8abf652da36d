"""What this article says of every operator, counted."""

from inside_torch.claims import (
    counted,
    derivatives,
    dispatch_table,
    has_kernel,
    overloads,
)


def is_composite(name: str) -> bool:
    """Whether an operator is written with others, which record in its stead."""
    return has_kernel(f"aten::{name}", "CompositeImplicitAutograd")


def recorded_by(name: str) -> str:
    """The file that holds what the dispatcher runs first for a tensor of the CPU that may need a gradient."""
    return dispatch_table(f"aten::{name}").get("AutogradCPU", "")


def has_formula(name: str) -> bool:
    """Whether derivatives.yaml says how a gradient is computed, and not only that there is none."""
    entry = derivatives().get(name, {})
    return any(
        formula != "non_differentiable"
        for formulas in entry.get("dispatch", {"Default": entry}).values()
        for key, formula in formulas.items()
        if key not in ("name", "output_differentiability")
    )


def formulas_with_a_kernel() -> list[str]:
    """The operators with a formula that are no composites."""
    return [name for name in derivatives() if has_formula(name) and not is_composite(name)]


@counted(formulas_with_a_kernel, planted="linear", minimum=500)
def formula_has_wrapper(name: str) -> bool:
    """An operator with a formula and a kernel of its own has a generated wrapper, which runs before it."""
    return recorded_by(name).startswith("VariableType_")


def composites_without_formula() -> list[str]:
    """The composites with no formula."""
    return [name for name in overloads() if is_composite(name) and not has_formula(name)]


@counted(composites_without_formula, planted="mul.Tensor", minimum=600)
def composite_has_no_wrapper(name: str) -> bool:
    """A composite operator with no formula has no wrapper: the dispatcher runs its kernel at once."""
    return "math kernel" in recorded_by(name)


def composites_with_formula() -> list[str]:
    """The composites with a formula."""
    return [name for name in derivatives() if has_formula(name) and is_composite(name)]


@counted(composites_with_formula, planted="mul.Tensor")
def composite_with_formula(name: str) -> bool:
    """A composite operator that has a formula too runs its kernel on the CPU, and not the wrapper."""
    return "math kernel" in recorded_by(name)
