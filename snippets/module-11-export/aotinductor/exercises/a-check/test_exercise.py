"""What fits is let through, and what does not fit is named."""

import pytest
import torch
from exercise import misfits
from torch.export import Dim, export


class Scores(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(3, 2)

    def forward(self, x, shift):
        return torch.relu(self.layer(x)) + shift


@pytest.fixture(scope="module")
def program():
    rows = {0: Dim.DYNAMIC}
    return export(Scores(), (torch.ones(3, 3), torch.ones(3, 2)), dynamic_shapes=(rows, rows))


@pytest.mark.parametrize("rows", [2, 3, 7])
def test_what_fits_is_let_through(program, rows):
    assert misfits(program, (torch.ones(rows, 3), torch.ones(rows, 2))) == []


def test_another_dtype_is_named(program):
    assert misfits(program, (torch.ones(2, 3).double(), torch.ones(2, 2))) == ["x"]
    assert misfits(program, (torch.ones(2, 3), torch.ones(2, 2).int())) == ["shift"]


def test_another_size_is_named(program):
    assert misfits(program, (torch.ones(2, 4), torch.ones(2, 2))) == ["x"]
    assert misfits(program, (torch.ones(2, 4), torch.ones(2, 3))) == ["x", "shift"]


def test_a_dimension_more_or_less_is_named(program):
    assert misfits(program, (torch.ones(2, 3, 1), torch.ones(2, 2))) == ["x"]
    assert misfits(program, (torch.ones(2, 3), torch.ones(2))) == ["shift"]


def test_other_strides_are_named(program):
    assert misfits(program, (torch.ones(3, 2).t(), torch.ones(2, 2))) == ["x"]
    assert misfits(program, (torch.ones(2, 3), torch.ones(2, 4)[:, ::2])) == ["shift"]


def test_the_example_says_what_is_right():
    rows, example = {0: Dim.DYNAMIC}, torch.ones(2, 3).double().t()
    program = export(Scores().double(), (torch.ones(3, 3).double(), example), dynamic_shapes=(rows, rows))
    x = torch.ones(5, 3).double()
    assert misfits(program, (x, torch.ones(2, 5).double().t())) == []
    assert misfits(program, (x, torch.ones(5, 2).double())) == ["shift"]
    assert misfits(program, (x, torch.ones(2, 10).double()[:, :5].t())) == ["shift"]


def test_sizes_that_are_one_symbol_have_to_be_equal(program):
    assert misfits(program, (torch.ones(4, 3), torch.ones(5, 2))) == ["shift"]


def test_a_size_below_the_range_is_named():
    rows = {0: Dim("rows", min=2, max=4)}
    program = export(Scores(), (torch.ones(3, 3), torch.ones(3, 2)), dynamic_shapes=(rows, rows))
    assert misfits(program, (torch.ones(1, 3), torch.ones(1, 2))) == ["x", "shift"]
    assert misfits(program, (torch.ones(5, 3), torch.ones(5, 2))) == ["x", "shift"]
    assert misfits(program, (torch.ones(4, 3), torch.ones(4, 2))) == []
