"""What AOTAutograd makes of a function, kept: the joint graph, and the two halves that it is cut into."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import fx
from torch._dynamo.backends.common import aot_autograd
from torch._functorch.aot_autograd import aot_function, make_boxed_func
from torch._functorch.partitioners import min_cut_rematerialization_partition


def text(graph: fx.GraphModule) -> str:
    """The Python of a graph, without the lines that are empty."""
    return graph.code.strip().replace("torch.ops.aten.", "aten.")


# region captured
@dataclass
class Halves:
    """The joint graph as it was recorded and as the partitioner had it in the end, and the two halves."""

    recorded: str
    joint: fx.GraphModule
    forward: fx.GraphModule
    backward: fx.GraphModule
    outputs: int

    @property
    def saved(self) -> list[str]:
        """What the forward returns beyond its own outputs."""
        return [node.name for node in self.forward.graph.output_node().args[0][self.outputs :]]

    @property
    def recomputed(self) -> list[str]:
        """The calls that stand in both halves."""
        calls = [
            [node.name for node in half.graph.nodes if node.op == "call_function"]
            for half in (self.forward, self.backward)
        ]
        return [name for name in calls[0] if name in calls[1]]


def halves(
    function: Callable,
    *args: torch.Tensor,
    partition: Callable = min_cut_rematerialization_partition,
    decompositions: dict | None = None,
    dynamo: bool = False,
) -> Halves:
    """Compiles the function with a compiler that does nothing, and keeps what comes to it."""
    kept = []

    def keep(joint: fx.GraphModule, inputs: list, **options) -> tuple[fx.GraphModule, fx.GraphModule]:
        recorded = text(joint)
        parts = partition(joint, inputs, **options)
        kept.append(Halves(recorded, joint, *parts, options["num_fwd_outputs"]))
        return parts

    options = {"fw_compiler": as_it_is, "partition_fn": keep, "decompositions": decompositions}
    if dynamo:
        torch.compile(function, backend=aot_autograd(**options))(*args)
    else:
        aot_function(function, **options)(*args)
    return kept[0]


def as_it_is(graph: fx.GraphModule, _: list[torch.Tensor]) -> Callable:
    """A compiler: the graph runs as the Python that it is."""
    return make_boxed_func(graph.forward)


# endregion

if __name__ == "__main__":
    x = torch.full((3,), 0.5, requires_grad=True)
    parts = halves(lambda x: (x * 2).sin(), x)
    print("saved:", parts.saved, "computed again:", parts.recomputed)
