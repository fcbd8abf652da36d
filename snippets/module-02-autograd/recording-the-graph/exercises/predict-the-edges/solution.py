"""Predict the edges of a node before autograd makes them.

`next_edges(operator, arguments)` must return what `grad_fn.next_functions` will be, for an operator of ATen
called with these arguments: a tuple of `(node, input number)`, without calling the operator.
"""

from pathlib import Path

import torch
import torchgen
import yaml

DERIVATIVES = Path(torchgen.__file__).parent / "packaged/autograd/derivatives.yaml"

ENTRIES = {
    entry["name"].split("(")[0]: entry for entry in yaml.safe_load(DERIVATIVES.read_text(encoding="utf-8"))
}


def schema_arguments(operator: str) -> list[str]:
    """The names of an operator's arguments, in the order of its schema: ["self", "other"] for mul.Tensor."""
    name, _, overload = operator.partition(".")
    schema = getattr(getattr(torch.ops.aten, name), overload or "default")._schema
    return [argument.name for argument in schema.arguments]


def differentiable_arguments(operator: str) -> list[str]:
    """The names of the arguments that derivatives.yaml has a formula for, in the order of the schema."""
    entry = ENTRIES[operator]
    formulas = entry.get("dispatch", {}).get("Default", entry)
    with_formula = {
        name.strip()
        for key, formula in formulas.items()
        if formula != "non_differentiable"
        for name in key.split(",")
    }
    return [name for name in schema_arguments(operator) if name in with_formula]


def gradient_edge(tensor: torch.Tensor) -> tuple:
    """The edge that a gradient of this tensor leaves along: `(node, input number)`, or `(None, 0)`."""
    if tensor.grad_fn is not None:
        return tensor.grad_fn, tensor.output_nr
    if tensor.requires_grad:
        # As torch.autograd.graph.get_gradient_edge does: record something, and follow its edge.
        return tensor.view_as(tensor).grad_fn.next_functions[0]
    return None, 0


def next_edges(operator: str, arguments: dict) -> tuple[tuple, ...]:
    """The edges that a call of `operator` records. `arguments` maps names of the schema to values."""
    edges = []
    for name in differentiable_arguments(operator):
        value = arguments.get(name)
        for item in value if isinstance(value, list | tuple) else [value]:
            edges.append((None, 0) if item is None else gradient_edge(item))
    return tuple(edges)
