"""Two graphs share a key exactly where they may share code."""

import torch
from exercise import key
from torch.fx.experimental.proxy_tensor import make_fx


def of(function, *inputs, names=()):
    """The key of a function's graph, whose nodes may be given other names."""
    graph = make_fx(function)(*inputs)
    for node, name in zip(graph.graph.nodes, names, strict=False):
        node._rename(name)
    graph.recompile()
    return key(graph, list(inputs))


x, y = torch.rand(3, 4), torch.rand(3, 4)


def function(x, y):
    return (x * 2 - y).relu()


def test_the_same_has_the_same():
    assert of(function, x, y) == of(function, x, y)


def test_other_numbers_in_the_inputs_do_not_matter():
    assert of(function, x, y) == of(function, y, x + 1)


def test_names_do_not_matter():
    assert of(function, x, y, names=("left", "right", "twice", "rest")) == of(function, x, y)


def test_the_order_of_operands_matters():
    assert of(function, x, y) != of(lambda x, y: (y - x * 2).relu(), x, y)


def test_which_input_is_read_matters():
    assert of(lambda x, y: x.sin(), x, y) != of(lambda x, y: y.sin(), x, y)


def test_numbers_in_the_graph_matter():
    assert of(function, x, y) != of(lambda x, y: (x * 3 - y).relu(), x, y)
    assert of(lambda x: x * 2.5, x) != of(lambda x: x * 2.500001, x)
    assert of(lambda x: x * 2, x.int()) != of(lambda x: x * 2.0, x.int())  # of another type


def test_the_numbers_of_a_constant_matter():
    one, other = torch.rand(4), torch.rand(4)
    assert of(lambda x: x + one, x) != of(lambda x: x + other, x)
    many = torch.arange(2000.0)
    few_exchanged = many.clone()  # which neither repr nor a sum shows
    few_exchanged[900], few_exchanged[901] = many[901], many[900]
    assert of(lambda: many + 1) != of(lambda: few_exchanged + 1)


def test_the_type_of_a_constant_matters():
    one, other = torch.ones(4), torch.ones(4, dtype=torch.float64)
    assert of(lambda x: x + one, x) != of(lambda x: x + other, x)


def test_the_shape_of_a_constant_matters():
    one, other = torch.zeros(1, 4), torch.zeros(4)
    assert of(lambda x: x + one, x[0]) != of(lambda x: x + other, x[0])


def test_the_strides_of_a_constant_matter():
    one, other = torch.ones(4, 2), torch.ones(4, 4)[:, ::2]
    assert of(lambda x: x + one, x[:2].t()) != of(lambda x: x + other, x[:2].t())


def test_what_writes_into_an_input_matters():
    assert of(lambda x, y: (x.add_(1), y.sin())[1], x.clone(), y) != of(lambda x, y: y.sin(), x, y)


def test_keyword_arguments_matter():
    assert of(lambda x: x.sum(0, keepdim=True), x) != of(lambda x: x.sum(0), x)
    assert of(lambda x: torch.add(x, x, alpha=2), x) != of(lambda x: torch.add(x, x, alpha=3), x)


def test_what_is_returned_matters():
    assert of(lambda x: (x.sin(), x.cos()), x) != of(lambda x: (x.cos(), x.sin()), x)
    assert of(lambda x: [x.sin(), x.cos()], x) != of(lambda x: [x.sin(), x.cos()][::-1], x)


def test_shapes_and_types_matter():
    keys = {of(torch.sin, each) for each in (x, x[:2], x.view(12), x.double(), x.int(), x.to("meta"))}
    assert len(keys) == 6
    assert of(torch.sin, torch.rand(4, 4)[:, :3]) != of(torch.sin, x)  # as many numbers, the same strides


def test_what_describes_each_input_matters_and_its_place():
    one_row = of(torch.add, x, y[:1])
    assert one_row != of(torch.add, x, y)
    assert one_row != of(torch.add, x[:1], y)


def test_strides_matter():
    assert of(torch.sin, x.t().contiguous().t()) != of(torch.sin, x)
    assert of(torch.sin, x[:, ::2]) != of(torch.sin, x[:2].t()[:3])
