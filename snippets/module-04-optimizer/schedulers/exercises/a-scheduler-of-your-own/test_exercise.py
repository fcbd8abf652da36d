"""The schedule alone, beside others, on tensors, with groups that come later, and resumed."""

import io

import pytest
import torch
from exercise import InverseSqrtLR
from torch import nn
from torch.optim.lr_scheduler import ChainedScheduler, LinearLR, SequentialLR

WANTED = [
    0.5,
    1.0,
    1.5,
    2.0,
    4 / 5**0.5,
    4 / 6**0.5,
    4 / 7**0.5,
    4 / 8**0.5,
]  # warm-up over 4 steps, from a rate of 2


def an_optimizer(rate=2.0):
    return torch.optim.SGD([nn.Parameter(torch.ones(1))], lr=rate, foreach=False)


def rates(optimizer, scheduler, steps):
    used = []
    for _ in range(steps):
        used.append(float(optimizer.param_groups[0]["lr"]))
        optimizer.step()
        scheduler.step()
    return used


def test_it_rises_and_falls():
    optimizer = an_optimizer()
    assert rates(optimizer, InverseSqrtLR(optimizer, 4), 8) == pytest.approx(WANTED)


@pytest.mark.parametrize("first", [True, False])
def test_it_chains(first):
    optimizer = an_optimizer()
    kinds = [lambda: InverseSqrtLR(optimizer, 4), lambda: LinearLR(optimizer, 0.5, total_iters=16)]
    chain = ChainedScheduler([make() for make in (kinds if first else kinds[::-1])])
    wanted = [rate * (0.5 + step / 32) for step, rate in enumerate(WANTED)]
    assert rates(optimizer, chain, 8) == pytest.approx(wanted)


def test_a_tensor_stays_and_a_group_may_come_later():
    tensor = torch.tensor(2.0)
    optimizer = an_optimizer(tensor)
    scheduler = InverseSqrtLR(optimizer, 4)
    used = rates(optimizer, scheduler, 3)
    optimizer.add_param_group({"params": [nn.Parameter(torch.ones(1))], "lr": 1.0})
    used += rates(optimizer, scheduler, 5)
    assert optimizer.param_groups[0]["lr"] is tensor
    assert used == pytest.approx(WANTED)
    assert optimizer.param_groups[1]["lr"] == pytest.approx(2 / 3)


def test_it_follows_a_warm_up():
    optimizer = an_optimizer()
    parts = [LinearLR(optimizer, 0.5, total_iters=3), InverseSqrtLR(optimizer, 4)]
    assert rates(optimizer, SequentialLR(optimizer, parts, [3]), 11)[3:] == pytest.approx(WANTED)


def test_the_two_forms_agree():
    optimizer = an_optimizer()
    optimizer.add_param_group({"params": [nn.Parameter(torch.ones(1))], "lr": 1.0})
    scheduler = InverseSqrtLR(optimizer, 4)
    for wanted in WANTED:
        assert scheduler._get_closed_form_lr() == pytest.approx([wanted, wanted / 2])
        optimizer.step()
        scheduler.step()


def test_it_goes_on_from_a_jump():
    optimizer = an_optimizer()
    scheduler = InverseSqrtLR(optimizer, 4)
    optimizer.step()
    with pytest.warns(UserWarning, match="epoch parameter"):
        scheduler.step(5)
    assert rates(optimizer, scheduler, 3) == pytest.approx(WANTED[5:])


@pytest.mark.parametrize("way", ["optimizer first", "scheduler first", "last_epoch"])
def test_it_resumes(way):
    optimizer = an_optimizer()
    scheduler = InverseSqrtLR(optimizer, 4)
    rates(optimizer, scheduler, 3)
    torch.save((optimizer.state_dict(), scheduler.state_dict()), file := io.BytesIO())
    file.seek(0)
    saved, saved_schedule = torch.load(file)
    optimizer = an_optimizer()
    if way == "last_epoch":
        optimizer.load_state_dict(saved)
        scheduler = InverseSqrtLR(optimizer, 4, last_epoch=2)
    else:
        scheduler = InverseSqrtLR(optimizer, 4)
        loads = [(optimizer, saved), (scheduler, saved_schedule)]
        for whom, what in loads if way == "optimizer first" else loads[::-1]:
            whom.load_state_dict(what)
    assert rates(optimizer, scheduler, 5) == pytest.approx(WANTED[3:])


def test_with_last_epoch_a_rate_that_another_changed_stays():
    optimizer = an_optimizer()
    optimizer.param_groups[0]["initial_lr"] = 4.0
    InverseSqrtLR(optimizer, 4, last_epoch=2)
    assert optimizer.param_groups[0]["lr"] == 2.0
