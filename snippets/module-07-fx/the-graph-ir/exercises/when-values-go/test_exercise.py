"""What goes is what the generated code lets go."""

import operator
import re

import pytest
import torch
from exercise import released as answer
from torch import fx


def released(graph: fx.Graph) -> dict[str, set[str]]:
    """The answer, without the code: it cannot be generated meanwhile."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(fx.graph.CodeGen, "_gen_python_code")
        return answer(graph)


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


def test_what_is_returned_stays_though_another_node_used_it():
    graph, first, second = chain()
    graph.output_node().args = (({"deep": [first]}, second),)
    assert released(graph) == {"neg": {"x"}} == by_the_code(graph)


def test_values_stand_deep_and_come_from_all_kinds_of_nodes():
    graph = fx.Graph()
    x, y, z = map(graph.placeholder, "xyz")
    part = graph.call_function(operator.getitem, (graph.get_attr("table"), slice(x, None, z)))
    called = graph.call_method("add", (part,), {"other": [{"deep": (y,)}]})
    graph.output(graph.call_function(torch.neg, (graph.call_module("layer", (called,)),)))
    wanted = {"getitem": {"table", "x", "z"}, "add": {"getitem", "y"}, "layer": {"add"}, "neg": {"layer"}}
    assert released(graph) == by_the_code(graph) == wanted


def test_what_nobody_uses_goes_at_once_whatever_kind_of_node_it_is():
    graph, first, _ = chain()
    with graph.inserting_after(first):
        graph.get_attr("table")
        graph.call_method("exp", (first,))
        graph.call_module("layer", (first,))
    assert {name for name, gone in released(graph).items() if name in gone} == {"table", "exp", "layer"}
    assert released(graph) == by_the_code(graph)


def test_a_node_that_uses_a_value_twice_is_one_user():
    graph, first, second = chain()
    with graph.inserting_before(second):
        graph.call_function(torch.add, (first, first))
    assert released(graph) == {"neg": {"x"}, "add": {"add"}, "abs_1": {"neg"}} == by_the_code(graph)


def test_the_last_user_may_be_one_that_nobody_uses():
    graph, first, second = chain()
    with graph.inserting_after(second):
        graph.call_function(torch.exp, (first,))
    assert released(graph) == {"neg": {"x"}, "exp": {"neg", "exp"}} == by_the_code(graph)


def test_a_parameter_that_is_returned_stays_though_a_node_used_it():
    graph, first, second = chain()
    graph.output_node().args = ((first.args[0], second),)
    assert released(graph) == {"abs_1": {"neg"}} == by_the_code(graph)
