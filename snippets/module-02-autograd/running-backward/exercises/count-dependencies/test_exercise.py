"""The engine is the judge: hooks record the order in which it really runs the nodes."""

from collections.abc import Iterable

import pytest
import torch
from exercise import count_dependencies, execution_order
from torch.autograd.graph import GradientEdge, Node


def leaf(*values: float) -> torch.Tensor:
    return torch.tensor(values, requires_grad=True)


def running_example() -> torch.Tensor:
    a, b = leaf(2.0, 3.0), leaf(5.0, 7.0)
    return (a * b + a).sum()


def two_branches_built_in_turn() -> torch.Tensor:
    left, right = leaf(2.0).exp(), leaf(5.0).sin()
    left = left.neg()
    right = right.cos()
    return (left + right).sum()


def the_same_tensor_twice() -> torch.Tensor:
    a = leaf(2.0, 3.0)
    return (a * a).sum()


def a_short_way_and_a_long_way() -> torch.Tensor:
    shared = leaf(0.5).exp()
    return (shared + shared.sin().cos().neg()).sum()


def an_input_that_wants_no_gradient() -> torch.Tensor:
    return (leaf(2.0) * torch.tensor([3.0])).sum()


GRAPHS = [
    running_example,
    two_branches_built_in_turn,
    the_same_tensor_twice,
    a_short_way_and_a_long_way,
    an_input_that_wants_no_gradient,
]


def nodes_of(root: Node) -> list[Node]:
    """Every node of the graph once, found with no thought for order."""
    nodes = [root]
    for node in nodes:
        for child, _ in node.next_functions:
            if child is not None and child not in nodes:
                nodes.append(child)
    return nodes


def name(node: Node) -> str:
    """The node's name without its namespace."""
    return node.name().split("::")[-1]


def names(nodes: Iterable[Node]) -> str:
    """The nodes on one line, so that a failure can be read."""
    return ", ".join(map(name, nodes))


def order_of_the_engine(root: Node) -> list[Node]:
    order: list[Node] = []
    for node in nodes_of(root):
        node.register_prehook(lambda grads, node=node: order.append(node))
    torch.autograd.backward(GradientEdge(root, 0))
    return order


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.__name__)
def test_order_is_that_of_the_engine(graph):
    root = graph().grad_fn
    predicted = names(execution_order(root))
    actual = names(order_of_the_engine(root))
    assert predicted == actual, f"\n    predicted: {predicted}\n    engine:    {actual}"


@pytest.mark.parametrize("graph", GRAPHS, ids=lambda graph: graph.__name__)
def test_no_node_runs_before_all_its_edges_are_walked(graph):
    root = graph().grad_fn
    counts = count_dependencies(root)
    below = set(nodes_of(root)) - {root}
    assert set(counts) == below, f"\n    counted:    {names(counts)}\n    to count:   {names(below)}"
    walked = dict.fromkeys(counts, 0)
    for node in order_of_the_engine(root):
        if node is not root:
            assert walked[node] == counts[node], (
                f"{name(node)}: counted {counts[node]}, but the engine ran it after {walked[node]} edges"
            )
        for child, _ in node.next_functions:
            if child is not None:
                walked[child] += 1


def test_a_leaf_used_twice_waits_for_two_gradients():
    root = running_example().grad_fn
    counts = sorted(n for node, n in count_dependencies(root).items() if name(node) == "AccumulateGrad")
    assert counts == [1, 2]  # b: from the product alone; a: from the product and from the sum
