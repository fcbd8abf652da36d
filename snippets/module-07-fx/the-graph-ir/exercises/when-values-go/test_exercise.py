"""What goes is what the generated code lets go."""

import re

import torch
from exercise import released
from torch import fx


def by_the_code(graph: fx.Graph) -> dict[str, set[str]]:
    """What the lines of the code let go."""
    found = {}
    for line in graph.python_code("self").src.splitlines():
        if match := re.fullmatch(r"\s*(\w+) = .*;  (.*) = None", line):
            found[match[1]] = set(match[2].split(" = "))
    return found


def chain() -> tuple[fx.Graph, fx.Node, fx.Node]:
    """Two calls in a row, of which the second is returned; the two."""
    graph = fx.Graph()
    first = graph.call_function(torch.neg, (graph.placeholder("x"),))
    second = graph.call_function(torch.abs, (first,))
    graph.output(second)
    return graph, first, second


def test_a_chain_lets_each_go_at_once():
    graph, *_ = chain()
    assert released(graph) == {"neg": {"x"}, "abs_1": {"neg"}} == by_the_code(graph)


def test_what_nobody_uses_goes_at_once_and_an_unused_parameter_stays():
    graph, first, _ = chain()
    with graph.inserting_before(first):
        graph.call_function(torch.exp, (graph.placeholder("unused"),))
        graph.placeholder("never")
    assert released(graph)["exp"] == {"unused", "exp"} and "never" not in released(graph)
    assert released(graph) == by_the_code(graph)


def test_a_use_that_was_written_later_may_run_earlier():
    graph, first, second = chain()
    with graph.inserting_before(second):
        graph.call_function(torch.exp, (first,))
    assert released(graph)["abs_1"] == {"neg"}
    assert released(graph) == by_the_code(graph)


def test_a_list_and_a_keyword_hold_values_too():
    graph = fx.Graph()
    x, y, z = map(graph.placeholder, "xyz")
    both = graph.call_function(torch.stack, ([x, y],))
    graph.output(graph.call_function(torch.add, (both,), {"other": z}))
    assert released(graph) == {"stack": {"x", "y"}, "add": {"stack", "z"}} == by_the_code(graph)
