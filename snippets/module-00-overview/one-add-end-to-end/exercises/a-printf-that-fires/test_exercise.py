"""Additions of every kind are made, and each must have been seen where it reached the backend."""

import pytest
import torch
from exercise import additions

FLOAT = torch.float32


def tensors():
    return torch.tensor([1.0, 2.0, 3.0]), torch.tensor([10.0, 20.0, 30.0])


def test_two_tensors():
    a, b = tensors()
    sums = []
    assert additions(lambda: sums.append(torch.add(a, b, alpha=2))) == [("add.Tensor", (3,), FLOAT)]
    assert sums[0].tolist() == [21.0, 42.0, 63.0], "the original kernel did not get alpha"


def test_a_number_is_a_tensor_by_then():
    a, _ = tensors()
    expected = [("add.Tensor", (3,), FLOAT)]
    assert additions(lambda: a + 2) == expected
    assert additions(lambda: 2 + a) == expected


def test_in_place_is_another_entrance():
    a, b = tensors()
    assert additions(lambda: a.add_(b, alpha=2)) == [("add_.Tensor", (3,), FLOAT)]
    assert a.tolist() == [21.0, 42.0, 63.0], "the original kernel ran not at all, twice, or without alpha"


def test_out_is_a_third():
    a, b = tensors()
    out = torch.empty(3)
    seen = additions(lambda: torch.add(a, b, alpha=2, out=out))
    assert seen == [("add.out", (3,), FLOAT)]
    assert out.tolist() == [21.0, 42.0, 63.0], "the original kernel did not get alpha, or not out"


def test_an_overload_that_calls_another_is_seen_once():
    a, _ = tensors()
    seen = additions(lambda: torch.ops.aten.add.Scalar(a, 2))
    assert seen == [("add.Tensor", (3,), FLOAT)], "add.Scalar does not add: it calls add.Tensor"
    assert additions(lambda: torch.ops.aten.add_.Scalar(a, 2)) == [("add_.Tensor", (3,), FLOAT)]
    assert additions(lambda: torch.ops.aten.add.Scalar_out(a, 2, out=torch.empty(3))) == seen


def test_the_shape_and_the_dtype_are_those_of_the_result():
    rows, column = torch.ones(2, 3, dtype=torch.int64), torch.ones(2, 1)
    expected = [("add.Tensor", (2, 3), FLOAT)]
    assert additions(lambda: rows + column) == expected
    assert additions(lambda: column + rows) == expected
    assert additions(lambda: rows + rows) == [("add.Tensor", (2, 3), torch.int64)]
    assert additions(lambda: torch.add(rows, rows, out=torch.empty(2, 3))) == [("add.out", (2, 3), FLOAT)]


def test_what_is_no_addition_is_not_seen():
    a, b = tensors()
    assert additions(lambda: (a - b, a * b, a.sum(), a.clone())) == []


def test_backward_adds_where_gradients_meet():
    a, _ = tensors()
    a.requires_grad_()
    once = (a * 2).sum()
    twice = (a * 2 + a).sum()
    assert additions(once.backward) == []
    a.grad = None
    assert len(additions(twice.backward)) == 1, "two gradients reach the leaf: somebody has to add them"
    assert a.grad.tolist() == [3.0, 3.0, 3.0]


def test_the_original_is_back_even_after_an_error():
    a, b = tensors()
    seen = []
    with pytest.raises(ZeroDivisionError):
        additions(lambda: seen.append(a + b) or 1 / 0)
    assert additions(lambda: None) == []
    assert (a + b).tolist() == [11.0, 22.0, 33.0]
