"""Fewer calls, and the same values."""

import operator

import torch
from exercise import merge
from torch import fx

PURE = {torch.neg, torch.add, torch.sum, torch.pow, torch.var, torch.addcmul, operator.neg}


def merged(function, *inputs):
    """How many calls were merged, the names of those that are left; the values have stayed."""
    module = fx.symbolic_trace(function)
    torch.manual_seed(0)
    wanted = module(*inputs)
    count = merge(module.graph, PURE)
    module.graph.lint()
    module.recompile()
    torch.manual_seed(0)
    assert torch.equal(module(*inputs), wanted)
    return count, [node.name for node in module.graph.nodes if node.op == "call_function"]


X, Y = torch.arange(6.0).reshape(2, 3), torch.ones(2, 3)


def test_equal_calls_become_the_first():
    count, left = merged(lambda x, y: torch.add(torch.neg(x), torch.neg(x)), X, Y)
    assert (count, left) == (1, ["neg", "add"])


def test_other_arguments_are_another_call():
    count, _ = merged(
        lambda x, y: torch.add(torch.sum(x, 0, keepdim=True), torch.sum(x, 1, keepdim=True)), X, Y
    )
    assert count == 0
    count, _ = merged(lambda x, y: torch.add(torch.add(x, y), torch.add(x, y, alpha=2)), X, Y)
    assert count == 0
    assert merged(lambda x, y: torch.add(torch.add(x, 1), torch.add(x, 1.0)), X, Y)[0] == 0
    assert merged(lambda x, y: torch.add(x, y, alpha=1) - torch.add(x, y, alpha=1.0), X, Y)[0] == 0
    assert merged(lambda x, y: torch.add(x, 1.0) - torch.add(x, 1.0000001), X, Y)[0] == 0
    assert merged(lambda x, y: torch.add(x, -1) - torch.add(x, -2), X, Y)[0] == 0
    assert merged(lambda x, y: torch.add(y, 1) + torch.add(y, True), X, Y.bool())[0] == 0
    assert merged(lambda x, y: torch.neg(torch.sum(x)) - torch.neg(torch.sum(y)), X, Y)[0] == 0
    count, _ = merged(lambda x, y: 1 / torch.add(x, 0.0) - 1 / torch.add(x, -0.0), -0.0 * Y, Y)
    assert count == 0


def test_each_part_of_a_call_counts():
    assert merged(lambda x, y: torch.add(torch.neg(x), torch.sum(x)), X, Y)[0] == 0
    count, _ = merged(
        lambda x, y: torch.add(torch.sum(x, dim=0, keepdim=True), torch.sum(x, dim=1, keepdim=True)), X, Y
    )
    assert count == 0
    assert merged(lambda x, y: torch.add(x, y, alpha=2) - torch.add(y, x, alpha=2), X, Y)[0] == 0
    assert merged(lambda x, y: torch.pow(x, 2) - torch.pow(2, x), X, Y)[0] == 0
    assert merged(lambda x, y: torch.addcmul(x, x, y) - torch.addcmul(x, y, y), X, Y)[0] == 0
    assert merged(lambda x, y: torch.sum(x, 0, True) - torch.sum(x, 0, False), X, Y)[0] == 0
    assert merged(lambda x, y: torch.var(x, dim=1) - torch.var(x, correction=1), X, Y)[0] == 0
    count, _ = merged(
        lambda x, y: torch.sum(x, dim=0, keepdim=True) - torch.sum(x, dim=0, keepdim=False), X, Y
    )
    assert count == 0
    assert merged(lambda x, y: torch.neg(x) - operator.neg(x), X, Y)[0] == 0


def test_three_equal_calls_become_one():
    assert merged(lambda x, y: torch.neg(x) + torch.neg(x) + torch.neg(x), X, Y) == (
        2,
        ["neg", "add", "add_1"],
    )


def test_what_is_computed_from_merged_values_is_merged():
    count, left = merged(lambda x, y: torch.add(torch.neg(torch.neg(x)), torch.neg(torch.neg(x))), X, Y)
    assert (count, left) == (2, ["neg", "neg_1", "add"])
    count, _ = merged(lambda x, y: torch.add(x, other=torch.sum(y)) + torch.add(x, other=torch.sum(y)), X, Y)
    assert count == 2


def test_the_order_of_the_names_is_nothing():
    count, _ = merged(
        lambda x, y: torch.sum(x, dim=0, keepdim=True) + torch.sum(x, keepdim=True, dim=0), X, Y
    )
    assert count == 1


def test_random_calls_stay_two():
    count, left = merged(lambda x, y: torch.rand_like(x) - torch.rand_like(x), X, Y)
    assert count == 0 and len(left) == 3
    count, _ = merged(lambda x, y: torch.neg(torch.rand_like(x)) - torch.neg(torch.rand_like(x)), X, Y)
    assert count == 0


def test_calls_of_other_functions_and_of_methods_stay():
    assert merged(lambda x, y: (x + y) * (x + y), X, Y)[0] == 0
    assert merged(lambda x, y: x.neg() * x.neg(), X, Y)[0] == 0


def test_what_is_given_by_name_counts():
    assert merged(lambda x, y: torch.add(x, other=y) - torch.add(x, other=x), X, Y)[0] == 0
    assert merged(lambda x, y: torch.add(x, other=y) - torch.add(x, other=y), X, Y)[0] == 1
    assert merged(lambda x, y: torch.add(x, other=1.0) - torch.add(x, other=1.0000001), X, Y)[0] == 0
    assert merged(lambda x, y: torch.add(y, other=1) + torch.add(y, other=True), X, Y.bool())[0] == 0
    count, _ = merged(
        lambda x, y: 1 / torch.add(x, y, alpha=0.0) - 1 / torch.add(x, y, alpha=-0.0), -0.0 * Y, Y
    )
    assert count == 0


def test_a_chain_of_three_is_merged_to_its_end():
    def thrice(x):
        return torch.neg(torch.neg(torch.neg(x)))

    assert merged(lambda x, y: thrice(x) + thrice(x), X, Y)[0] == 3


def test_a_call_that_nobody_uses():
    assert merged(lambda x, y: (torch.neg(x), torch.neg(x) + y)[1], X, Y) == (1, ["neg", "add"])
    assert merged(lambda x, y: (torch.neg(x) + y, torch.neg(x))[0], X, Y) == (1, ["neg", "add"])
    assert merged(lambda x, y: (torch.sum(x), x + y)[1], X, Y) == (0, ["sum_1", "add"])


def test_whoever_used_the_call_is_given_the_first():
    assert merged(lambda x, y: (torch.neg(x), torch.neg(x))[1], X, Y) == (1, ["neg"])
    assert merged(lambda x, y: torch.neg(x).abs() + torch.neg(x).abs(), X, Y) == (1, ["neg", "add"])
    count, _ = merged(lambda x, y: torch.neg(x) + (z := torch.neg(x)) * (z + y), X, Y)
    assert count == 1
