"""Each graph is the function where its conditions hold, and raises where they do not."""

import operator

import pytest
import torch
from exercise import traced


def by_rows(x):
    """More than four rows are doubled."""
    return x * 2 if x.shape[0] > 4 else x + 1


def by_rows_and_columns(x):
    """Two questions, the second asked on one of the ways only."""
    if x.shape[0] > 4:
        return x * 2 if x.shape[1] > 1 else x * 3
    return x + 1


def test_the_way_of_yes_is_the_function_for_many_rows():
    x = torch.ones(5, 2)
    assert torch.equal(traced(by_rows, [True])(x), by_rows(x))


def test_the_way_of_yes_raises_for_few_rows():
    with pytest.raises(AssertionError):
        traced(by_rows, [True])(torch.ones(4, 2))


def test_the_way_of_no_is_the_function_for_few_rows_and_raises_for_many():
    module = traced(by_rows, [False])
    assert torch.equal(module(torch.ones(4, 2)), torch.full((4, 2), 2.0))
    with pytest.raises(AssertionError):
        module(torch.ones(5, 2))


def test_each_question_has_its_own_answer():
    module = traced(by_rows_and_columns, [True, False])
    assert torch.equal(module(torch.ones(5, 1)), torch.full((5, 1), 3.0))
    for shape in (5, 2), (4, 1):
        with pytest.raises(AssertionError):
            module(torch.ones(shape))


def test_a_tensor_is_asked_too():
    module = traced(lambda x: -x if x.sum() > 0 else x, [False])
    assert torch.equal(module(torch.tensor([-1.0])), torch.tensor([-1.0]))
    with pytest.raises(AssertionError):
        module(torch.tensor([1.0]))


def test_a_number_is_asked():
    module = traced(lambda x: x * 2 if x.shape[0] - 4 else x, [True])
    for size in 6, 3:  # 2 and -1 are both true
        assert torch.equal(module(torch.ones(size)), torch.full((size,), 2.0))
    with pytest.raises(AssertionError):
        module(torch.ones(4))
    module = traced(lambda x: x * 2 if x.shape[0] - 4 else x, [False])
    assert torch.equal(module(torch.ones(4)), torch.ones(4))
    for size in 6, 5:
        with pytest.raises(AssertionError):
            module(torch.ones(size))


def test_a_tuple_is_asked():
    inputs = {True: torch.ones(2), False: torch.tensor(1.0)}  # a shape with no sizes is false
    for answer, x in inputs.items():
        module = traced(lambda x: x * 2 if x.shape else x, [answer])
        assert torch.equal(module(x), x * 2 if answer else x)
        with pytest.raises(AssertionError):
            module(inputs[not answer])


def test_a_tensor_is_asked_again_after_a_write():
    def written(x):
        if x:
            x.sub_(1)
        return x + 1 if x else x

    module = traced(written, [True, False])
    assert module(torch.ones(1)).item() == 0.0
    with pytest.raises(AssertionError):
        module(torch.full((1,), 2.0))
    module = traced(written, [True, True])  # the same answer twice is two questions
    assert module(torch.full((1,), 2.0)).item() == 2.0
    with pytest.raises(AssertionError):
        module(torch.ones(1))


def test_the_checks_are_not_dead_code():
    module = traced(by_rows, [False])
    module.graph.eliminate_dead_code()
    assert torch._assert in [node.target for node in module.graph.nodes]
    assert operator.mul not in [node.target for node in module.graph.nodes]
