"""The node that writes in place is moved, dropped and exchanged; `lint` is asked each time."""

import torch
from build import build
from running_example import centred, inputs
from torch import fx


# region edits
def as_built(graph: fx.Graph, write: fx.Node) -> None:
    """Nothing is changed."""


def moved(graph: fx.Graph, write: fx.Node) -> None:
    """The write comes last, after the division."""
    graph.output_node().prepend(write)


def cleaned(graph: fx.Graph, write: fx.Node) -> None:
    """What nobody uses is taken away."""
    graph.eliminate_dead_code()


def as_overload_cleaned(graph: fx.Graph, write: fx.Node) -> None:
    """The method becomes an overload first, which has a schema."""
    with graph.inserting_before(write):
        graph.call_function(torch.ops.aten.sub_.Tensor, write.args)
    graph.erase_node(write)
    graph.eliminate_dead_code()


def result_used(graph: fx.Graph, write: fx.Node) -> None:
    """The division reads what the write returned, and dead code is taken away."""
    write.args[0].replace_all_uses_with(write, lambda user: user.name == "truediv")
    graph.eliminate_dead_code()


# endregion

if __name__ == "__main__":
    for edit in as_built, moved, cleaned, as_overload_cleaned, result_used:
        graph = build()
        [write] = graph.find_nodes(op="call_method", target="sub_")
        edit(graph, write)
        graph.lint()
        result = fx.GraphModule({}, graph)(*inputs(5))
        names = [node.name for node in graph.nodes if node.name in ("mean", "sub_", "sub__tensor", "truediv")]
        print(f"{edit.__name__:20} {torch.equal(result, centred(*inputs(5)))!s:6}", *names)
