"""Results, arguments that are written to, lists, views, and what is no tensor."""

import pytest
import torch
from exercise import Chip, fallback
from torch.library import _scoped_library

aten = torch.ops.aten


class ReadOnly(Chip):
    def store(self, host):
        raise AssertionError("the schema does not say that this argument is written to")


def chip(*numbers: float) -> Chip:
    return Chip(torch.tensor(numbers, dtype=torch.float32, device="cpu"))


def test_a_new_result():
    a, b = chip(1, 2), chip(10, 20)
    result = fallback(aten.add.Tensor, a, b, alpha=2)
    assert isinstance(result, Chip)
    assert result.fetch().tolist() == [21, 42]
    assert a.fetch().tolist() == [1, 2]
    assert fallback(aten.add.Tensor, a, other=b).fetch().tolist() == [11, 22]


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
    x = ReadOnly(torch.ones(2, device="cpu"))
    out = chip()
    fallback(aten.add.out, x, x, out=out)
    assert out.fetch().tolist() == [2, 2]


def test_two_results():
    values, indices = fallback(aten.max.dim, chip(3, 5, 4), 0)
    assert values.fetch().item() == 5
    assert indices.fetch().item() == 1


def test_each_written_result_is_its_own_argument():
    largest, where = chip(), Chip(torch.tensor([], dtype=torch.int64, device="cpu"))
    values, indices = fallback(aten.max.dim_max, chip(3, 5, 4), 0, max=largest, max_values=where)
    assert values is largest
    assert indices is where
    assert largest.fetch().item() == 5
    assert where.fetch().item() == 1


def test_what_is_written_need_not_be_a_result():
    x, mean, variance = Chip(torch.tensor([[1.0], [3.0]], device="cpu")), chip(0), chip(1)
    legit = aten._native_batch_norm_legit.default
    results = fallback(legit, x, chip(1), chip(0), mean, variance, True, 1.0, 0.0)
    assert len(results) == 3
    assert mean.fetch().tolist() == [2]


@pytest.fixture
def own():
    """Operators that no list of names can hold."""
    with _scoped_library("book_chip", "DEF") as library:
        library.define("first(Tensor(a) x) -> Tensor(a)")
        library.define("copied(Tensor(a) x) -> Tensor(a)")
        library.define("twice_and_first(Tensor(a) x) -> (Tensor, Tensor(a))")
        library.define("swap(Tensor x, Tensor(a!) y, Tensor(b!) z) -> (Tensor(b!), Tensor, Tensor(a!))")
        library.impl("first", lambda x: x[:1], "CPU")
        library.impl("copied", lambda x: x.clone(), "CPU")
        library.impl("twice_and_first", lambda x: (x * 2, x[:1]), "CPU")
        library.impl("swap", lambda x, y, z: (z.mul_(x), x + 1, y.add_(x)), "CPU")
        yield torch.ops.book_chip


def test_results_in_another_order_than_the_arguments(own):
    x, y, z = chip(2), chip(1), chip(100)
    times, new, plus = fallback(own.swap.default, x, y, z)
    assert times is z
    assert plus is y
    assert all(new is not one for one in (x, y, z))
    assert [one.fetch().item() for one in (x, y, z, new)] == [2, 3, 200, 3]


def test_an_argument_that_is_only_read_is_no_result():
    x = chip(1, 2)
    result = fallback(aten.dropout.default, x, 0.5, False)  # on the host, this hands `x` on
    assert result is not x
    assert result.fetch().tolist() == [1, 2]


VIEWS = {
    aten.view.default: [[2, 1]],
    aten.unfold.default: [0, 1, 1],
    aten.split.Tensor: [1],
    aten.select.int: [0, 0],
    aten.unbind.int: [],
    aten.detach.default: [],
}


def refuses(view, *arguments):
    with pytest.raises(RuntimeError) as caught:
        fallback(view, ReadOnly(torch.tensor([1.0, 2.0], device="cpu")), *arguments)
    assert caught.type is not NotImplementedError


@pytest.mark.parametrize("view", VIEWS)
def test_views_are_refused(view):
    refuses(view, *VIEWS[view])


@pytest.mark.parametrize("name", ["first", "copied", "twice_and_first"])
def test_views_are_known_by_the_schema(own, name):
    refuses(getattr(own, name).default)


def test_a_copy_is_no_view():
    assert fallback(aten.view_copy.default, chip(1, 2), [2, 1]).fetch().tolist() == [[1], [2]]
    copies = fallback(aten.split_copy.Tensor, chip(1, 2), 1)
    assert [one.fetch().tolist() for one in copies] == [[1], [2]]


def test_no_tensor():
    assert fallback(aten.equal.default, chip(1), chip(1)) is True
