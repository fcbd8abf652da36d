"""Copies calls, and forgets that a graph also gets constants, from the module that it was made of."""

from collections.abc import Sequence
from typing import Any

from torch import fx


def half(
    joint: fx.GraphModule, inputs: Sequence[fx.Node], results: Sequence[fx.Node | None]
) -> fx.GraphModule:
    """A graph from these inputs to these results, with what they need of the joint graph."""
    graph, copies = fx.Graph(), {}
    for node in inputs:
        copies[node] = graph.node_copy(node)
    for node in joint.graph.nodes:
        if node.op == "call_function" and all(need in copies for need in node.all_input_nodes):
            copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple(node if node is None else copies[node] for node in results))
    graph.eliminate_dead_code()
    return fx.GraphModule(joint, graph)


def inputs_only(
    joint: fx.GraphModule, _: Any, *, num_fwd_outputs: int, **options: Any
) -> tuple[fx.GraphModule, fx.GraphModule]:
    """A forward that returns its outputs and then the inputs that the backward needs; and that backward."""
    results = joint.graph.output_node().args[0]
    outputs, gradients = results[:num_fwd_outputs], results[num_fwd_outputs:]
    inputs = [node for node in joint.graph.nodes if node.op == "placeholder"]
    tangents = [node for node in inputs if node.name.startswith("tangents")]
    primals = [node for node in inputs if node not in tangents]
    backward = half(joint, [*primals, *tangents], gradients)
    needed = {node.name for node in backward.graph.nodes if node.op == "placeholder" and node.users}
    saved = [node for node in primals if node.name in needed]
    return half(joint, primals, [*outputs, *saved]), half(joint, [*saved, *tangents], gradients)
