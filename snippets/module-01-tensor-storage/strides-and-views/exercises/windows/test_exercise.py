"""A window goes by the tensor's own step and begins where the tensor does."""

import pytest
import torch
from exercise import rows, shares, windows


def test_of_a_plain_row():
    x = torch.arange(5.0)
    assert windows(x, 3).tolist() == [[0, 1, 2], [1, 2, 3], [2, 3, 4]]
    assert windows(x, 5).tolist() == [[0, 1, 2, 3, 4]]


def test_no_memory_of_its_own():
    x = torch.arange(5.0)
    assert windows(x, 2).untyped_storage() is x.untyped_storage()


@pytest.mark.parametrize("cut", ["column", "every other", "tail"])
def test_of_a_view(cut):
    x = torch.arange(12.0).reshape(3, 4)
    view = {"column": x[:, 1], "every other": x[0, ::2], "tail": x[1, 1:]}[cut]
    wanted = [view[at : at + 2].tolist() for at in range(view.shape[0] - 1)]
    assert windows(view, 2).tolist() == wanted
    assert windows(view, 2).untyped_storage() is x.untyped_storage()


def test_of_a_repeated_number():
    x = torch.ones(1)
    assert windows(x.expand(4), 3).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert windows(x.expand(4), 3).untyped_storage() is x.untyped_storage()


SHAPES = {
    "plain": (lambda x: x, True),
    "turned": (lambda x: x.T, False),
    "every other column": (lambda x: x[:, ::2], True),
    "two columns": (lambda x: x[:, :2], True),
    "a block": (lambda x: x[1:, :], True),
    "a row": (lambda x: x[1], True),
    "three dimensions": (lambda x: x.view(2, 3, 4)[..., ::2], True),
    "a gap between matrices": (lambda x: x.view(2, 3, 4)[:, :2], False),
    "three runs, the last of two": (lambda x: x.view(2, 3, 4)[:, :2, :2], False),
    "an odd stride of a one": (lambda x: x.as_strided((6, 1, 4), (4, 7, 1)), True),
    "an odd stride of a last one": (lambda x: x.as_strided((6, 4, 1), (4, 1, 7)), True),
}


@pytest.mark.parametrize("name", SHAPES)
def test_rows_share_where_they_can(name):
    make, exists = SHAPES[name]
    x = make(torch.arange(24.0).reshape(6, 4))
    made = rows(x, 2)
    assert made.tolist() == x.flatten().view(-1, 2).tolist()
    assert (made.untyped_storage() is x.untyped_storage()) == exists, "a view, and only where one exists"
    assert shares(x, 2) == exists


def test_a_view_of_what_is_not_contiguous():
    x = torch.arange(24.0).reshape(6, 4)[:, ::2]
    assert not x.is_contiguous() and shares(x, 3), "the columns are as far apart as a row's end and the next"


def test_rows_that_are_whole_runs():
    x = torch.arange(24.0).view(2, 3, 4)[:, :2]
    assert shares(x, 8), "a gap lies after each matrix, and none inside it"
    assert not shares(x, 4) and not shares(x, 16)


class NoCopy(torch.Tensor):
    """Fails, past any `except Exception`, where a function gives other memory on the CPU."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        made = super().__torch_function__(function, types, args, kwargs)
        with torch._C.DisableTorchFunctionSubclass():
            on_cpu = isinstance(made, torch.Tensor) and made.device.type == "cpu"
            if on_cpu and made.untyped_storage() is not args[0].untyped_storage():
                pytest.fail("a copy was made to find out")
        return made


def test_shares_makes_no_copy():
    assert not shares(torch.ones(3, 4).T.as_subclass(NoCopy), 12)
    x = torch.ones(2, 1).expand(2, 2**50)  # a copy of it would need eight million gigabytes
    assert not shares(x, 2**51), "two rows, each of one number, cannot be one"
    assert shares(x[:1], 2**49)
