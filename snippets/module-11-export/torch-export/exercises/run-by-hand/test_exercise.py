"""Programs with weights, buffers of both kinds, a constant and a written input, against what was exported."""

import copy

import torch
from exercise import run
from torch import nn
from torch.export import export


class Affine(nn.Module):
    """Two parameters, nothing written."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


class Counts(nn.Module):
    """A buffer that is written."""

    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x, y):
        self.count.add_(1)
        return x * self.count - y, y * 2


class Scratch(nn.Module):
    """A buffer that is not persistent, written, and a constant."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mask", torch.tensor([0.0, 1.0]), persistent=False)
        self.shift = torch.tensor([3.0, 4.0])

    def forward(self, x):
        self.mask.add_(1)
        return x * self.mask + self.shift


class Writes(nn.Module):
    """An input that is written, and is not the first."""

    def forward(self, y, x):
        x.mul_(2)
        return x + y


def flat(result):
    """A tuple or a tensor, as a list."""
    return list(result) if isinstance(result, tuple) else [result]


def agrees(module, *inputs):
    """Three calls by hand against three of the module: results, inputs and buffers."""
    twin = copy.deepcopy(module)
    program = export(module, tuple(tensor.clone() for tensor in inputs)).run_decompositions({})
    for _ in range(3):
        mine, its = [tensor.clone() for tensor in inputs], [tensor.clone() for tensor in inputs]
        results, expected = run(program, *mine), flat(twin(*its))
        assert len(results) == len(expected)
        for a, b in zip(
            [*results, *mine, *module.buffers()], [*expected, *its, *twin.buffers()], strict=True
        ):
            assert torch.equal(a, b)


def test_parameters():
    agrees(Affine(), torch.ones(1, 2))


def test_a_buffer_that_is_written():
    agrees(Counts(), torch.ones(1), torch.full((1,), 5.0))


def test_what_is_in_no_state_dict():
    agrees(Scratch(), torch.ones(2))


def test_an_input_that_is_written():
    agrees(Writes(), torch.ones(2), torch.ones(2))
