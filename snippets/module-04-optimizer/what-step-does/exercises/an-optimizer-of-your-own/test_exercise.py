"""The optimizer beside torch.optim.SGD, and in the hands of what else uses an optimizer."""

import io

import torch
from exercise import Momentum
from torch import nn

GRADIENTS = ([1.0, 2.0], [0.5, -1.0], [0.0, 0.0], None, [-3.0, 0.25])


def weight() -> nn.Parameter:
    return nn.Parameter(torch.tensor([1.0, -1.0]))


def take_steps(optimizer: torch.optim.Optimizer, parameter: nn.Parameter, gradients=GRADIENTS) -> None:
    for gradient in gradients:
        parameter.grad = None if gradient is None else torch.tensor(gradient)
        optimizer.step()
        assert torch.is_grad_enabled()


def test_it_steps_as_sgd_does_frozen_or_not():
    for wants_gradient in True, False:
        ours, theirs = (weight().requires_grad_(wants_gradient) for _ in range(2))
        take_steps(Momentum([ours], lr=0.2, momentum=0.5), ours)
        take_steps(torch.optim.SGD([theirs], lr=0.2, momentum=0.5), theirs)
        torch.testing.assert_close(ours, theirs)


def test_each_group_has_its_own_numbers_and_they_may_change():
    ours, theirs = [weight(), weight()], [weight(), weight()]
    optimizers = [
        kind([{"params": first, "lr": 0.5}, {"params": second, "momentum": 0.0}], lr=0.1, momentum=0.9)
        for kind, (first, second) in ((Momentum, ours), (torch.optim.SGD, theirs))
    ]
    for gradient in GRADIENTS:
        for optimizer, parameters in zip(optimizers, (ours, theirs), strict=True):
            for parameter in parameters:
                parameter.grad = None if gradient is None else torch.tensor(gradient)
            optimizer.step()
            optimizer.param_groups[0]["lr"] *= 0.5
    torch.testing.assert_close(ours, theirs)


def test_no_gradient_no_step():
    moved, rests = weight(), weight()
    optimizer, address = Momentum([rests, moved]), moved.data_ptr()
    take_steps(optimizer, moved)
    assert moved.data_ptr() == address
    assert torch.equal(rests, weight())
    assert not torch.equal(moved, weight())
    assert moved._version > rests._version
    moved.grad, before = None, moved.detach().clone()
    optimizer.step()
    assert torch.equal(moved, before)


def test_the_gradient_is_not_written_to():
    parameter = weight()
    optimizer = Momentum([parameter])
    parameter.grad = torch.tensor(GRADIENTS[0])
    for _ in range(2):
        optimizer.step()
        assert parameter.grad.tolist() == GRADIENTS[0]


def test_a_closure_can_run_backward_under_no_grad():
    parameter, losses = weight(), []
    optimizer = Momentum([parameter], lr=1.0)

    def closure() -> torch.Tensor:
        optimizer.param_groups[0]["lr"] = 0.25
        optimizer.zero_grad()
        loss = (parameter**2).sum()
        loss.backward()
        losses.append(loss)
        return loss

    with torch.no_grad():
        returned = optimizer.step(closure)
        assert not torch.is_grad_enabled()
    assert len(losses) == 1 and returned is losses[0]
    assert parameter.tolist() == [0.5, -0.5]


def test_it_goes_on_from_a_file():
    through, resumed = weight(), weight()
    take_steps(Momentum([through]), through)
    first = Momentum([resumed])
    take_steps(first, resumed, GRADIENTS[:2])
    file = io.BytesIO()
    torch.save(first.state_dict(), file)
    file.seek(0)
    elsewhere = nn.Parameter(resumed.detach().clone())
    second = Momentum([elsewhere])
    second.load_state_dict(torch.load(file))
    take_steps(second, elsewhere, GRADIENTS[2:])
    torch.testing.assert_close(through, elsewhere)
