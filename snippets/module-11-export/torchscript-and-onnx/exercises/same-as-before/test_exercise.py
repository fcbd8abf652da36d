"""A branch, a write to the argument, buffers and a number that count, a fixed size, a number that is cut."""

import warnings

import torch
from exercise import changed
from torch import nn

warnings.simplefilter("ignore")


class Branch(nn.Module):
    """Converts to `torch.cond`."""

    def forward(self, x):
        if bool(x.sum() > 0):
            return x * 2
        return x - 1


class Writes(nn.Module):
    """Changes its argument."""

    def forward(self, x):
        x.add_(1)
        return x * 2


class Counts(nn.Module):
    """Changes its own buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))

    def forward(self, x):
        self.calls = self.calls + 1
        return x * self.calls


class Adds(Counts):
    """Changes its own buffer in place."""

    def forward(self, x):
        self.calls.add_(1)
        return x * self.calls


class Numbers(nn.Module):
    """Counts in a number of Python's."""

    def __init__(self):
        super().__init__()
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        return x * self.calls


class Widens(nn.Module):
    """The size of its second dimension is one of the weight's."""

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(1, 2), requires_grad=False)

    def forward(self, x):
        return x + self.weight


class Cuts(nn.Module):
    """A large number of Python's."""

    def forward(self, x):
        return torch.zeros(1, dtype=torch.long) + int(x.sum())


ones = torch.ones(2, 2)


def test_a_branch():
    assert changed(torch.jit.script(Branch()), ones, [ones, -ones]) == ["same", "same"]


def test_the_argument_is_written_to():
    other = ones.clone()
    assert changed(torch.jit.script(Writes()), ones, [other, other]) == ["same", "same"]
    assert torch.equal(other, ones)
    assert torch.equal(ones, torch.ones(2, 2))


def test_each_call_counts():
    assert changed(torch.jit.script(Counts()), ones, [ones, ones]) == ["same", "same"]


def test_each_call_adds():
    assert changed(torch.jit.script(Adds()), ones, [ones, ones]) == ["same", "same"]


def test_a_number_counts():
    assert changed(torch.jit.script(Numbers()), ones, [ones, ones]) == ["same", "differs"]


def test_a_size_that_was_fixed():
    assert changed(torch.jit.script(Widens()), ones, [ones, torch.ones(2, 1)]) == ["same", "refused"]


def test_a_number_that_is_cut():
    big = torch.full((2, 2), 2.0**30)
    assert changed(torch.jit.script(Cuts()), ones, [ones, big]) == ["same", "differs"]
