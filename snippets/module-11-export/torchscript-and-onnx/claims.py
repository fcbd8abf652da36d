"""What this article says of branches, of names and of operators, gone through."""

import warnings
from typing import Any

from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from inside_torch.run.extras import extras

extras("onnxscript", "onnx")

import torch  # noqa: E402
from kept import function  # noqa: E402
from torch.onnx._internal.exporter._decomp import (  # noqa: E402
    create_onnx_friendly_decomposition_table,
    get_onnx_implemented_overloads,
)
from torch.onnx._internal.exporter._registration import ONNXRegistry  # noqa: E402

# A nest of branches on values: a number is a leaf, a tuple a threshold and the two ways from there.
leaves = st.integers(2, 9)
nests = st.recursive(leaves, lambda inner: st.tuples(st.integers(-4, 4), inner, inner), max_leaves=6)


def text_of(nest: Any) -> str:
    """The nest as an expression of `x`."""
    if isinstance(nest, int):
        return f"x * {nest}"
    threshold, above, below = nest
    return f"(({text_of(above)}) if x.sum() > {threshold} else ({text_of(below)}))"


def leaf_of(nest: Any, total: float) -> int:
    """The leaf that an input with this sum reaches."""
    while not isinstance(nest, int):
        threshold, above, below = nest
        nest = above if total > threshold else below
    return nest


asked = st.tuples(nests, st.integers(-5, 5), st.integers(-5, 5))


@counted(cases(asked, count=60), planted=lambda: ("other", (0, 2, 3), 5, -5))
def trace_takes_the_way_of_its_sample(case: tuple) -> bool:
    """A trace of nested branches on values computes, for another input, what its sample's way computes."""
    *wrong, nest, sample, other = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(function(text_of(nest)), torch.tensor([float(sample)]), check_trace=False)
    expected = (
        leaf_of(nest, other if wrong else sample) * other
    )  # the planted one says: the way of the other input
    return traced(torch.tensor([float(other)])).item() == expected


def gone() -> list[str]:
    """Names of `torch.onnx` that older texts use."""
    return [
        "dynamo_export",
        "ExportOptions",
        "ONNXRuntimeOptions",
        "OnnxRegistry",
        "DiagnosticOptions",
        "enable_fake_mode",
        "is_onnxrt_backend_supported",
        "export_to_pretty_string",
        "enable_log",
        "disable_log",
    ]


@counted(gone, planted="export")
def name_is_gone(name: str) -> bool:
    """The name is none of `torch.onnx`."""
    return not hasattr(torch.onnx, name)


registry = ONNXRegistry.from_torchlib()
decompositions = create_onnx_friendly_decomposition_table(set(get_onnx_implemented_overloads(registry)))


def core_operators() -> dict[str, Any]:
    """The overloads of ATen with the tag `core`, by their names."""
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        space, _, full = name.partition("::")
        packet, _, overload = full.partition(".")
        operator = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
        if space == "aten" and operator is not None and torch.Tag.core in operator.tags:
            found[name] = operator
    return found


@counted(
    core_operators,
    planted=lambda: torch.ops.aten.linalg_eig.default,
    minimum=180,
    exceptions="They have neither a translation nor a decomposition in the exporter's tables.",
)
def core_operator_has_a_way(operator: Any) -> bool:
    """An ATen operator with the tag `core` is translated, or decomposed first."""
    return registry.is_registered(operator) or operator in decompositions
