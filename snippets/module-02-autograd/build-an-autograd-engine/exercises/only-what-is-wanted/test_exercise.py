"""PyTorch is the judge: the same gradients, from the same nodes in the same order."""

import pytest
import torch
from exercise import grad, nodes_to_run


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def one_of_two_leaves():
    a, b = leaf(2.0, 3.0), leaf(5.0, 7.0)
    return (a * b + a).sum(), [b]


def a_tensor_in_the_middle():
    a = leaf(0.5, 1.5)
    middle = a.exp()
    return (middle * middle.sin()).sum(), [middle]


def one_below_the_other():
    a = leaf(0.5, 1.5)
    middle = a.exp()
    return (middle * middle.sin()).sum(), [middle, a]


def not_in_the_graph():
    a, stranger = leaf(2.0), leaf(3.0)
    return (a * a).sum(), [stranger, a]


def the_output_itself():
    a = leaf(2.0, 3.0)
    loss = a.exp().sum()
    return loss, [loss, a]


def a_branch_that_nobody_wants():
    a, b = leaf(2.0), leaf(3.0)
    return (a.exp().neg() + b.sin().cos()).sum(), [b]


def one_slot_of_three():
    first, second, _ = leaf(2.0, 0.5, 3.0).unbind()
    return first * second.exp(), [second]


def two_slots_of_three():
    first, second, _ = leaf(2.0, 0.5, 3.0).unbind()
    return first * second.exp(), [second, first]


GRAPHS = [
    one_of_two_leaves,
    a_tensor_in_the_middle,
    one_below_the_other,
    not_in_the_graph,
    the_output_itself,
    a_branch_that_nobody_wants,
    one_slot_of_three,
    two_slots_of_three,
]


def order_of_torch(output, inputs):
    """The nodes that PyTorch's engine runs for `inputs`. Prehooks run where a node runs, and nowhere else."""
    nodes, order = [output.grad_fn], []
    for node in nodes:
        nodes += {below for below, _ in node.next_functions} - {None, *nodes}
    handles = [node.register_prehook(lambda grads, node=node: order.append(node)) for node in nodes]
    grads = torch.autograd.grad(output, inputs, retain_graph=True, allow_unused=True)
    for handle in handles:
        handle.remove()
    return grads, order


def names(nodes):
    return [node.name() for node in nodes]


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.__name__)
def test_the_gradients_are_those_of_torch(graph):
    output, inputs = graph()
    expected, _ = order_of_torch(output, inputs)
    found, _ = grad(output, inputs)
    assert [grad is None for grad in found] == [grad is None for grad in expected]
    for mine, theirs in zip(found, expected, strict=True):
        assert mine is None or torch.equal(mine, theirs)


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.__name__)
def test_no_node_runs_that_torch_does_not_run(graph):
    output, inputs = graph()
    _, expected = order_of_torch(output, inputs)
    _, found = grad(output, inputs)
    assert names(found) == names(expected)


def test_no_leaf_is_written():
    output, inputs = one_below_the_other()
    grad(output, inputs)
    assert all(tensor.grad is None for tensor in inputs if tensor.is_leaf)


def test_a_wanted_node_runs_only_if_another_lies_below_it():
    a = leaf(0.5, 1.5)
    middle = a.exp()
    root = middle.sum().grad_fn
    assert names(nodes_to_run(root, {middle.grad_fn})) == ["SumBackward0"]


def test_a_graph_deeper_than_the_stack():
    x = a = leaf(1.0)
    for _ in range(3000):
        x = x + a
    found, order = grad(x.sum(), [a])
    assert found[0].tolist() == [3001.0]
    assert len(order) == 3001
