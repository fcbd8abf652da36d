"""The update beside one step on the whole batch, in plain code."""

import pytest
import torch
from exercise import one_update
from torch import nn

ITEMS = torch.tensor([[1.0, 2.0], [-3.0, 0.5], [2.0, 2.0], [0.0, -4.0], [1.5, 1.0], [3.0, -1.0]])
CUTS = {"one": [6], "equal": [2, 2, 2], "unequal": [1, 4, 1]}


def weight() -> nn.Parameter:
    return nn.Parameter(torch.tensor([0.5, -0.25]))


def on_the_whole(max_norm: float) -> tuple[torch.Tensor, float]:
    """The weight after one step on the mean over all items, and the norm before clipping."""
    whole = weight()
    ((ITEMS @ whole - 1) ** 2).mean().backward()
    norm = whole.grad.norm().item()
    return whole.detach() - 0.1 * whole.grad * min(1.0, max_norm / norm), norm


def updated(ours, cuts, max_norm, *, fused=False, scaler=None, factor=1.0):
    optimizer = torch.optim.SGD([ours], lr=0.1, fused=fused)
    return one_update(
        [ours],
        optimizer,
        scaler or torch.amp.GradScaler("cpu"),
        ITEMS.split(cuts),
        lambda chunk: factor * (chunk @ ours - 1) ** 2,
        max_norm,
    )


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("max_norm", [0.5, 1000.0])
@pytest.mark.parametrize("fused", [False, True])
def test_it_is_the_step_on_the_whole_batch(cuts, max_norm, fused):
    ours = weight()
    norm, stepped = updated(ours, cuts, max_norm, fused=fused)
    expected, whole_norm = on_the_whole(max_norm)
    assert stepped is True
    torch.testing.assert_close(ours.detach(), expected, rtol=1e-4, atol=1e-5)
    assert norm == pytest.approx(whole_norm, rel=1e-4)


def test_what_was_left_in_the_gradient_does_not_count():
    ours = weight()
    ours.grad = torch.full((2,), 1e6)
    updated(ours, [6], 1000.0)
    torch.testing.assert_close(ours.detach(), on_the_whole(1000.0)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("fused", [False, True])
def test_an_overflow_leaves_the_weights_and_says_so(fused):
    ours = weight()
    scaler = torch.amp.GradScaler("cpu")
    _, stepped = updated(ours, [2, 4], 1.0, fused=fused, scaler=scaler, factor=float("inf"))
    assert stepped is False
    assert torch.equal(ours, weight()) and scaler.get_scale() == 2.0**15


def test_a_scaler_that_is_switched_off_does_not_matter():
    ours = weight()
    _, stepped = updated(ours, [2, 4], 0.5, scaler=torch.amp.GradScaler("cpu", enabled=False))
    assert stepped is True
    torch.testing.assert_close(ours.detach(), on_the_whole(0.5)[0], rtol=1e-4, atol=1e-5)
