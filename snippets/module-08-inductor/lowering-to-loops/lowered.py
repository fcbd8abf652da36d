"""What becomes of a function when Inductor lowers it: the compiler's own way, as far as the loops.

`torch.compile` is stopped where `GraphLowering` has run and the scheduler would begin. So nothing is fused,
no code is written, and no C++ compiler is needed.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from unittest import mock

import torch
from torch import fx
from torch._inductor import compile_fx, config, ir
from torch._inductor.graph import GraphLowering
from torch._inductor.virtualized import V


class Stop(Exception):
    """Raised where lowering is done."""


@dataclass
class Lowered:
    """The graph as it was lowered, and what each of its nodes had become right after it was."""

    graph: GraphLowering
    steps: list[tuple[str, str]] = field(default_factory=list)

    def names(self) -> list[str]:
        """The operations of the graph, in their order: loops by their kind, the others by what they call."""
        return [name(operation) for operation in self.graph.operations]

    def body(self, buffer: str) -> str:
        """The loop that fills this buffer, as Inductor prints it."""
        loop = self.graph.get_buffer(buffer).data
        with V.set_graph_handler(self.graph):
            text = loop.inner_fn_str()
        sizes = [f"ranges={list(loop.ranges)}"]
        if isinstance(loop, ir.Reduction):
            sizes += [f"reduction_ranges={list(loop.reduction_ranges)}", loop.reduction_type]
        return "\n".join([*(line.rstrip() for line in text.strip().splitlines()), ", ".join(sizes)])


def name(operation: ir.Operation) -> str:
    """A loop by its kind, the others by what they call."""
    if isinstance(operation, ir.ComputedBuffer):
        return type(operation.data).__name__
    called = getattr(operation, "python_kernel_name", None) or getattr(operation, "op_overload", "")
    return f"{type(operation).__name__} {called}".strip()


def boxes(result: object) -> str:
    """What is in the boxes: one class within the other, down to what is loops or a buffer."""
    told = []
    while isinstance(result, (ir.MutableBox, ir.BaseView)):
        told.append(type(result).__name__)
        result = result.data
    if isinstance(result, ir.ComputedBuffer):
        told.append(f"{result.name}: {type(result.data).__name__}")
    elif isinstance(result, ir.Buffer):
        told.append(f"{result.name}: {type(result).__name__}")
    else:
        told.append(type(result).__name__)
    return " > ".join(told)


def lower(function: Callable, *args: object, dynamic: bool = False, **settings: object) -> Lowered:
    """What `torch.compile` lowers for these arguments."""
    found: list[Lowered] = []
    run_node = GraphLowering.run_node

    def noted(self: GraphLowering, node: fx.Node) -> object:
        if not found or found[-1].graph is not self:
            found.append(Lowered(self))
        result = run_node(self, node)
        if node.op != "output":
            found[-1].steps.append((node.name, boxes(result)))
        return result

    def stop(self: GraphLowering) -> None:
        raise Stop

    def backend(graph: fx.GraphModule, examples: list[torch.Tensor]) -> Callable:
        with (
            config.patch({"fx_graph_cache": False, **settings}),
            mock.patch.object(GraphLowering, "run_node", noted),
            mock.patch.object(GraphLowering, "codegen", stop),
        ):
            try:
                compile_fx.compile_fx(graph, examples)
            except Exception as error:
                if not isinstance(getattr(error, "inner_exception", error), Stop):
                    raise
        return graph.forward

    torch._dynamo.reset()
    torch.compile(function, backend=backend, dynamic=dynamic, fullgraph=True)(*args)
    (one,) = found
    return one


def function(x: torch.Tensor) -> torch.Tensor:
    """A sine, one more, the running sums of each column, and the sums of the rows."""
    return (x.sin() + 1).cumsum(0).sum(1)


x = torch.ones(20, 30)


# region path
def path() -> Lowered:
    """Lowered, as far as the scheduler would begin."""
    return lower(function, x)


# endregion

if __name__ == "__main__":
    found = path()
    for node, what in found.steps:
        print(f"{node:7} {what}")
    print(*found.names(), sep="\n")
