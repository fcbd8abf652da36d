"""Results, arguments that are written to, lists, views, and what is no tensor."""

import pytest
import torch
from exercise import Chip, fallback

aten = torch.ops.aten


def chip(*numbers: float) -> Chip:
    return Chip(torch.tensor(numbers, device="cpu"))


def test_a_new_result():
    a, b = chip(1, 2), chip(10, 20)
    result = fallback(aten.add.Tensor, a, b, alpha=2)
    assert isinstance(result, Chip)
    assert result.fetch().tolist() == [21, 42]
    assert a.fetch().tolist() == [1, 2]


def test_in_place_gives_the_same_tensor():
    a = chip(1, 2)
    assert fallback(aten.mul_.Tensor, a, 3) is a
    assert a.fetch().tolist() == [3, 6]


def test_out_is_written_and_may_grow():
    a, out = chip(1, 2, 3), chip()
    assert fallback(aten.mul.out, a, a, out=out) is out
    assert out.fetch().tolist() == [1, 4, 9]


def test_lists():
    joined = fallback(aten.cat.default, [chip(1), chip(2, 3)])
    assert joined.fetch().tolist() == [1, 2, 3]
    several = [chip(1), chip(2)]
    assert fallback(aten._foreach_add_.Scalar, several, 1) is None
    assert [one.fetch().tolist() for one in several] == [[2], [3]]


def test_only_what_the_schema_says_is_written():
    class ReadOnly(Chip):
        def store(self, host):
            raise AssertionError("the schema does not say that this argument is written to")

    x = ReadOnly(torch.ones(2, device="cpu"))
    out = chip()
    fallback(aten.add.out, x, x, out=out)
    assert out.fetch().tolist() == [2, 2]


def test_two_results():
    values, indices = fallback(aten.max.dim, chip(3, 5, 4), 0)
    assert values.fetch().item() == 5
    assert indices.fetch().item() == 1


@pytest.mark.parametrize("view", [aten.view.default, aten.unfold.default, aten.split.Tensor])
def test_views_are_refused(view):
    arguments = {aten.view.default: [[2, 1]], aten.unfold.default: [0, 1, 1], aten.split.Tensor: [1]}
    with pytest.raises(RuntimeError):
        fallback(view, chip(1, 2), *arguments[view])


def test_no_tensor():
    assert fallback(aten.equal.default, chip(1), chip(1)) is True
