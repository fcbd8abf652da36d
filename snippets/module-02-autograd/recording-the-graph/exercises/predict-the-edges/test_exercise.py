"""Holds the prediction against what autograd recorded. The graphs are real; nothing is written down here."""

import torch
from exercise import gradient_edge, next_edges
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

aten = torch.ops.aten


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


def recorded(result):
    return result.grad_fn.next_functions


def named(edges):
    """Edges as text, so that a failure can be read."""
    return [f"{node.name().split('::')[-1] if node else 'none'}:{number}" for node, number in edges]


def tensors(arguments):
    return [id(value) for value in tree_leaves(arguments) if isinstance(value, torch.Tensor)]


class Calls(TorchDispatchMode):
    """Notes which operators are called, and on which tensors."""

    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = str(func).removeprefix("aten.").removesuffix(".default")
        self.seen.append((name, tensors(args)))
        return func(*args, **(kwargs or {}))


def check(operator, call, **arguments):
    """`arguments` are given in the order of the schema."""
    with Calls() as calls:
        predicted = next_edges(operator, arguments)
    called = (operator, tensors(list(arguments.values()))) in calls.seen
    assert not called, f"{operator} was called; its edges shall be predicted"
    actual = recorded(call(*arguments.values()))
    assert named(predicted) == named(actual), (
        f"{operator}\n    predicted: {named(predicted)}\n    recorded:  {named(actual)}"
    )
    assert all(mine is theirs for (mine, _), (theirs, _) in zip(predicted, actual, strict=True)), (
        "the names agree, the nodes are not the same objects"
    )


def test_a_leaf_is_one_node_however_often_it_is_used():
    a = leaf(2)
    check("mul.Tensor", aten.mul.Tensor, self=a, other=a)
    check("mul.Tensor", aten.mul.Tensor, self=a, other=leaf(2))


def test_the_result_of_an_operator_leads_to_its_node():
    a, b = leaf(2), leaf(2)
    check("add.Tensor", aten.add.Tensor, self=a * b, other=a)


def test_a_tensor_with_no_history_has_an_empty_edge_in_its_place():
    check("mul.Tensor", aten.mul.Tensor, self=torch.ones(2), other=leaf(2))
    check("mul.Tensor", aten.mul.Tensor, self=leaf(2) * 2, other=leaf(2).detach())


def test_a_view_taken_under_no_grad_requires_a_gradient_and_has_an_empty_edge():
    for base in (leaf(2), leaf(2) * 2):
        with torch.no_grad():
            view = base[:]
        check("mul.Tensor", aten.mul.Tensor, self=view, other=leaf(2))


def test_a_view_with_a_flag_of_its_own_has_an_accumulator():
    view = torch.ones(2)[:].requires_grad_()
    check("mul.Tensor", aten.mul.Tensor, self=view, other=leaf(2))


def test_the_second_output_of_an_operator_is_input_one_of_its_node():
    first, second = leaf(2, 3).unbind()
    assert named([gradient_edge(first), gradient_edge(second)]) == ["UnbindBackward0:0", "UnbindBackward0:1"]
    check("mul.Tensor", aten.mul.Tensor, self=second, other=first)


def test_an_argument_without_a_formula_has_no_edge():
    check("pow.Tensor_Scalar", aten.pow.Tensor_Scalar, self=leaf(2), exponent=3)
    check("where.self", aten.where.self, condition=torch.ones(2) > 0, self=leaf(2), other=leaf(2))


def test_a_list_of_tensors_has_an_edge_for_each():
    check("cat", aten.cat.default, tensors=[leaf(2), torch.ones(2), leaf(2) * 2])


def test_an_optional_tensor_that_is_absent_keeps_its_place():
    for bias in (None, leaf(3)):
        check(
            "native_layer_norm",
            lambda *arguments: aten.native_layer_norm.default(*arguments)[0],
            input=leaf(2, 3),
            normalized_shape=[3],
            weight=leaf(3),
            bias=bias,
            eps=1e-5,
        )


def test_an_optional_tensor_that_is_left_out_keeps_its_place():
    check("clamp.Tensor", aten.clamp.Tensor, self=leaf(2), min=leaf(2))
