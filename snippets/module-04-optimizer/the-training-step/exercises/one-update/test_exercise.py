"""The update beside one step on the whole batch, in plain code."""

import pytest
import torch
from exercise import one_update
from torch import nn

ITEMS = torch.tensor([[1.0, 2.0], [-3.0, 0.5], [2.0, 2.0], [0.0, -4.0], [1.5, 1.0], [3.0, -1.0]])
CUTS = {"one": [6], "equal": [2, 2, 2], "unequal": [1, 4, 1]}


def weights() -> list[nn.Parameter]:
    """A slope for each column, and a shift."""
    return [nn.Parameter(torch.tensor([0.5, -0.25])), nn.Parameter(torch.tensor(0.75))]


def losses(items: torch.Tensor, slope: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    return (items @ slope + shift - 1) ** 2


def on_the_whole(max_norm: float) -> tuple[list[torch.Tensor], float]:
    """The weights after one step on the mean over all items, and the norm before clipping."""
    whole = weights()
    losses(ITEMS, *whole).mean().backward()
    norm = torch.cat([one.grad.flatten() for one in whole]).norm().item()
    return [one.detach() - 0.1 * one.grad * min(1.0, max_norm / norm) for one in whole], norm


def updated(ours, cuts, max_norm, *, fused=False, scaler=None, factor=1.0, decay=0.0):
    optimizer = torch.optim.SGD(ours, lr=0.1, weight_decay=decay, fused=fused)
    return one_update(
        ours,
        optimizer,
        scaler or torch.amp.GradScaler("cpu"),
        ITEMS.split(cuts),
        lambda chunk: factor * losses(chunk, *ours),
        max_norm,
    )


def assert_close(ours: list[nn.Parameter], expected: list[torch.Tensor]) -> None:
    for one, other in zip(ours, expected, strict=True):
        torch.testing.assert_close(one.detach(), other, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("cuts", CUTS.values(), ids=CUTS)
@pytest.mark.parametrize("max_norm", [0.5, 1000.0])
@pytest.mark.parametrize("fused", [False, True])
def test_it_is_the_step_on_the_whole_batch(cuts, max_norm, fused):
    ours = weights()
    norm, stepped = updated(ours, cuts, max_norm, fused=fused)
    expected, whole_norm = on_the_whole(max_norm)
    assert stepped is True
    assert_close(ours, expected)
    assert norm == pytest.approx(whole_norm, rel=1e-4)


def test_a_chunk_is_done_with_before_the_next():
    ours, seen = weights(), []

    def loss_of_each(chunk):
        there = ours[0].grad
        seen.append((len(chunk), there is not None and there.abs().max().item() > 1000))  # scaled
        return losses(chunk, *ours)

    optimizer, scaler = torch.optim.SGD(ours, lr=0.1), torch.amp.GradScaler("cpu")
    one_update(ours, optimizer, scaler, ITEMS.split([1, 4, 1]), loss_of_each, 1.0)
    assert seen == [(1, False), (4, True), (1, True)]


def test_what_was_left_in_the_gradient_does_not_count():
    ours = weights()
    ours[0].grad = torch.full((2,), 1e6)
    updated(ours, [6], 1000.0)
    assert_close(ours, on_the_whole(1000.0)[0])


@pytest.mark.parametrize("fused", [False, True])
def test_an_overflow_leaves_the_weights_and_says_so(fused):
    ours = weights()
    scaler = torch.amp.GradScaler("cpu")
    _, stepped = updated(ours, [2, 4], 1.0, fused=fused, scaler=scaler, factor=float("inf"))
    assert stepped is False
    assert all(torch.equal(one, other) for one, other in zip(ours, weights(), strict=True))
    assert scaler.get_scale() == 2.0**15


@pytest.mark.parametrize("decay", [0.0, 0.5])
def test_a_norm_that_overflows_is_no_declined_step(decay):
    ours = weights()
    scaler = torch.amp.GradScaler("cpu")
    norm, stepped = updated(ours, [2, 4], 1.0, scaler=scaler, factor=1e25, decay=decay)
    assert (norm, stepped, scaler.get_scale()) == (float("inf"), True, 2.0**16)
    kept = 1 - 0.1 * decay  # a step with zeros, and the decay
    assert_close(ours, [kept * one.detach() for one in weights()])


def test_a_scale_that_grows_is_no_declined_step():
    scaler = torch.amp.GradScaler("cpu", growth_interval=1)
    ours = weights()
    assert [updated(ours, [2, 4], 0.5, scaler=scaler)[1] for _ in range(2)] == [True, True]
    assert scaler.get_scale() == 2.0**18


def test_a_scaler_that_is_switched_off_does_not_matter():
    ours = weights()
    _, stepped = updated(ours, [2, 4], 0.5, scaler=torch.amp.GradScaler("cpu", enabled=False))
    assert stepped is True
    assert_close(ours, on_the_whole(0.5)[0])


def test_without_a_scaler_too_it_says_what_was_done():
    ours = weights()
    off = torch.amp.GradScaler("cpu", enabled=False)
    _, stepped = updated(ours, [2, 4], 0.5, scaler=off, factor=float("inf"))
    assert stepped is any(not torch.equal(one, other) for one, other in zip(ours, weights(), strict=True))
