"""The halves compute what eager mode computes, and what passes between them are inputs."""

import torch
from exercise import inputs_only
from torch._functorch.aot_autograd import aot_function, make_boxed_func


def compiled(function):
    """The function by way of its halves, and the names that pass between them."""
    saved = []

    def partition(joint, inputs, **options):
        forward, backward = inputs_only(joint, inputs, **options)
        results = forward.graph.output_node().args[0]
        saved.extend(node.name for node in results[options["num_fwd_outputs"] :])
        return forward, backward

    return aot_function(
        function, lambda graph, _: make_boxed_func(graph.forward), partition_fn=partition
    ), saved


def gradients(function, *args):
    """Of all arguments that want one."""
    for argument in args:
        argument.grad = None
    function(*args).sum().backward()
    return [argument.grad for argument in args]


def agree(function, *args):
    halves, saved = compiled(function)
    for ours, theirs in zip(gradients(halves, *args), gradients(function, *args), strict=True):
        assert ours is theirs or torch.allclose(ours, theirs, atol=1e-6)
    return sorted(saved)


def matrix(**options):
    return torch.rand(3, 3, **options)


def test_what_is_read_by_the_backward_itself():
    x, y = matrix(requires_grad=True), matrix(requires_grad=True)
    assert agree(lambda x, y: x * y, x, y) == ["primals_1", "primals_2"]


def test_what_is_behind_a_value_that_is_computed_again():
    x, y = matrix(requires_grad=True), matrix(requires_grad=True)
    assert agree(lambda x, y: (x + y).sin().exp(), x, y) == ["primals_1", "primals_2"]


def test_what_the_backward_does_not_need_is_not_saved():
    x, y = matrix(requires_grad=True), matrix(requires_grad=True)
    assert agree(lambda x, y: x.sin() + y, x, y) == ["primals_1"]


def test_an_input_that_wants_no_gradient_has_none():
    x, y = matrix(), matrix(requires_grad=True)
    assert agree(lambda x, y: x @ y, x, y) == ["primals_1"]


def test_an_input_that_nobody_reads_is_still_given():
    x, y = matrix(requires_grad=True), matrix(requires_grad=True)
    assert agree(lambda x, y: x.sin(), x, y) == ["primals_1"]


def test_nothing_is_saved_where_nothing_is_needed():
    assert agree(lambda x: -x, matrix(requires_grad=True)) == []


def test_two_outputs_have_two_tangents():
    def both(x):
        last = x.sin()
        return x.exp(), last

    def product(pair):
        return pair[0] * pair[1]

    x = matrix(requires_grad=True)
    halves, saved = compiled(both)
    (found,) = gradients(lambda x: product(halves(x)), x)
    (expected,) = gradients(lambda x: product(both(x)), x)
    assert torch.allclose(found, expected, atol=1e-6) and saved == ["primals_1"]


def test_an_output_without_a_gradient_has_no_tangent():
    x = matrix(requires_grad=True)
    halves, saved = compiled(lambda x: (x.sin(), x > 0))
    (found,) = gradients(lambda x: halves(x)[0], x)
    assert torch.allclose(found, x.detach().cos(), atol=1e-6) and saved == ["primals_1"]


def test_an_operator_with_two_results_is_computed_again():
    assert agree(lambda x: x.max(1).values, matrix(requires_grad=True)) == ["primals_1"]


def test_a_constant_of_the_graph_is_there_in_both_halves():
    def scaled(x):
        return (x * torch.tensor([1.0, 2.0, 3.0])).sin()

    assert agree(scaled, matrix(requires_grad=True)) == ["primals_1"]


def test_a_keyword_is_copied():
    x, y = matrix(requires_grad=True), matrix(requires_grad=True)
    assert agree(lambda x, y: torch.add(x, y, alpha=2).sin(), x, y) == ["primals_1", "primals_2"]


def test_values_in_a_list_are_copied():
    x, y = matrix(requires_grad=True), matrix(requires_grad=True)
    assert agree(lambda x, y: torch.cat([x.exp(), y]).sin(), x, y) == ["primals_1", "primals_2"]


def test_values_in_a_list_of_the_backward_are_copied():
    def product(x):
        return torch.mul(*x.chunk(2))

    assert agree(product, matrix(requires_grad=True)) == ["primals_1"]
