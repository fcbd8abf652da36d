"""Graphs with a fault each: what `lint` says of them, what their code does, and what an interpreter."""

import contextlib
import io
from collections.abc import Callable

import torch
from torch import Tensor, fx


# region faults
def used_too_early(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """A node is moved behind the one that uses it."""
    graph.output(graph.call_function(torch.neg, (y,)))
    graph.output_node().append(y)


def of_another_graph(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """An argument is a node of the same name, in another graph."""
    y.args = (fx.Graph().placeholder("x"),)


def erased(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """An argument has been erased."""
    gone = graph.call_function(torch.neg, (x,))
    graph.erase_node(gone)
    y.args = (gone,)


def renamed(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """A node is given the name of another."""
    y.name = "x"


def missing_module(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """A module is called that is nowhere."""
    graph.output(graph.call_module("layer", (y,)))


def missing_method(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """So is a method."""
    graph.output(graph.call_method("reluu", (y,)))


def too_many_arguments(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """A function of one argument is given two."""
    y.args = (x, x)


def a_tensor_inside(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """An argument is a tensor."""
    graph.output(graph.call_function(torch.add, (y, torch.ones(1))))


def no_output(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """Nothing is returned."""
    graph.erase_node(graph.output(y))


def two_outputs(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """It returns twice."""
    graph.output(x)
    graph.output(y)


def late_parameter(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """A parameter comes after a node of its name."""
    graph.output(graph.call_function(torch.add, (y, graph.placeholder("y"))))


def two_of_a_name(graph: fx.Graph, x: fx.Node, y: fx.Node) -> None:
    """Two parameters have one name."""
    graph.output(graph.call_function(torch.add, (y, graph.placeholder("x"))))


# endregion


def outcome(make: Callable[[], Tensor | None]) -> str:
    """What comes out, or the class of the error."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            made = make()
    except (RuntimeError, AttributeError, TypeError, NameError, SyntaxError) as error:
        return type(error).__name__
    return str(made if made is None else made.tolist())


if __name__ == "__main__":
    print(f"{'':19} {'lint':13} {'call':18} Interpreter")
    for fault in (
        used_too_early, of_another_graph, erased, renamed, missing_module, missing_method, too_many_arguments,
        a_tensor_inside, no_output, two_outputs, late_parameter, two_of_a_name,
    ):  # fmt: skip
        graph, root = fx.Graph(), torch.nn.Module()
        x = graph.placeholder("x")
        y = graph.create_node("call_function", torch.relu, (x,), name="y")
        fault(graph, x, y)
        if fault is not no_output and not graph.find_nodes(op="output"):
            graph.output(y)
        given = [torch.tensor([n]) for n in (-1.0, 2.0)][: len(graph.find_nodes(op="placeholder"))]
        graph.owning_module = fx.GraphModule(root, fx.Graph())
        linted = outcome(graph.lint)
        called = outcome(lambda: fx.GraphModule(root, graph)(*given))  # noqa: B023
        interpreted = outcome(lambda: fx.Interpreter(root, graph=graph).run(*given))  # noqa: B023
        print(f"{fault.__name__:19} {'' if linted == 'None' else linted:13} {called:18} {interpreted}")
