"""Shapes, strides, offsets and errors; that memory is shared; that a tensor without memory will do."""

import pytest
import torch
from exercise import unfold
from torch.utils._python_dispatch import TorchDispatchMode

START = torch.arange(60.0, device="cpu").reshape(3, 4, 5)
TENSORS = {
    "whole": START,
    "transposed": START.transpose(0, 2),
    "part": START[1:, 1:, 2:],
    "every other": START[:, ::2],
    "expanded": START[:1].expand(3, 4, 5),
}


class OnlyAsStrided(TorchDispatchMode):
    """Refuses every operator that is no as_strided."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        assert func is torch.ops.aten.as_strided.default, f"{func} was called"
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("name", TENSORS)
@pytest.mark.parametrize("dimension", [0, 1, 2, -1])
@pytest.mark.parametrize(("size", "step"), [(1, 1), (2, 1), (2, 2), (2, 5), (0, 1)])
def test_like_torch(name, dimension, size, step):
    x = TENSORS[name]
    with OnlyAsStrided():
        mine = unfold(x, dimension, size, step)
    right = x.unfold(dimension, size, step)
    assert mine.shape == right.shape
    assert mine.storage_offset() == x.storage_offset(), "the first window begins where x begins"
    assert mine.equal(right)
    assert mine.untyped_storage().data_ptr() == x.untyped_storage().data_ptr(), "a view was asked for"


def test_writes_go_through():
    x = torch.zeros(5, device="cpu")
    unfold(x, 0, 3, 2)[1, 2] = 7
    assert x.tolist() == [0, 0, 0, 0, 7], "window 1, place 2 is x[1 * 2 + 2]"


def test_no_memory_is_needed():
    windows = unfold(torch.empty(10, 8, device="meta"), 1, 3, 2)
    assert windows.shape == (10, 3, 3)
    assert windows.stride() == (8, 2, 1)


@pytest.mark.parametrize("dimension", [0, -1])
@pytest.mark.parametrize("size", [0, 1])
def test_a_number(dimension, size):
    x = torch.tensor(5.0, device="cpu")
    assert unfold(x, dimension, size, 1).tolist() == x.unfold(dimension, size, 1).tolist() == [5.0] * size


def test_a_dimension_of_length_0():
    x = torch.empty(0, 2, device="cpu")
    assert unfold(x, 0, 0, 1).shape == x.unfold(0, 0, 1).shape == (1, 2, 0)


@pytest.mark.parametrize(
    ("dimension", "size", "step", "error"),
    [
        (1, 1, 1, IndexError),
        (-2, 1, 1, IndexError),
        (0, 2, 1, ValueError),
        (0, -1, 1, ValueError),
        (0, 1, 0, ValueError),
    ],
)
def test_errors_of_a_number(dimension, size, step, error):
    with pytest.raises(error):
        unfold(torch.tensor(5.0, device="cpu"), dimension, size, step)


@pytest.mark.parametrize(
    ("dimension", "size", "step", "error"),
    [
        (3, 1, 1, IndexError),
        (-4, 1, 1, IndexError),
        (0, 4, 1, ValueError),
        (0, -1, 1, ValueError),
        (0, 1, 0, ValueError),
        (0, 1, -1, ValueError),
    ],
)
def test_errors(dimension, size, step, error):
    with pytest.raises(error):
        unfold(START, dimension, size, step)
