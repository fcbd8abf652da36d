import pytest
import torch
from exercise import step_all
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

# none is a default, so that a solution that knows the defaults fails
OPTIONS = {"lr": 0.1, "betas": (0.8, 0.99), "eps": 1e-6}
# no two alike, so that a solution that stacks tensors of one shape fails
SIZES = range(1, 31)


def numbers(sizes):
    return [torch.randn(4, size, device="cpu") for size in sizes]


def zeros(sizes):
    return [torch.zeros(4, size, device="cpu") for size in sizes]


class Count(TorchDispatchMode):
    calls = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.calls += 1
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_three_steps_leave_the_bits_of_the_loop(weight_decay):
    ours = numbers(SIZES)
    weights = [nn.Parameter(tensor.clone()) for tensor in ours]
    optimizer = torch.optim.Adam(weights, foreach=False, weight_decay=weight_decay, **OPTIONS)
    averages, squares = zeros(SIZES), zeros(SIZES)
    # the tensors that are to be written, should a list be filled with others
    held, held_averages, held_squares = list(ours), list(averages), list(squares)
    for step in 1, 2, 3:
        grads = numbers(SIZES)
        for weight, grad in zip(weights, grads, strict=True):
            weight.grad = grad.clone()
        optimizer.step()
        step_all(ours, grads, averages, squares, step, weight_decay=weight_decay, **OPTIONS)
    for place, weight in enumerate(weights):
        state = optimizer.state[weight]
        assert torch.equal(held[place], weight)
        assert torch.equal(held_averages[place], state["exp_avg"])
        assert torch.equal(held_squares[place], state["exp_avg_sq"])


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_thirty_parameters_take_as_many_calls_as_three(weight_decay):
    calls = []
    for count in 3, 30:
        sizes = SIZES[:count]
        lists = numbers(sizes), numbers(sizes), zeros(sizes), zeros(sizes)
        with Count() as seen:
            for step in 1, 2:
                step_all(*lists, step, weight_decay=weight_decay, **OPTIONS)
        calls.append(seen.calls)
    assert calls[0] == calls[1]


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_the_gradients_are_left(weight_decay):
    sizes = [16] * 3
    grads = numbers(sizes)
    before = [grad.clone() for grad in grads]
    step_all(numbers(sizes), grads, zeros(sizes), zeros(sizes), 1, weight_decay=weight_decay, **OPTIONS)
    assert all(torch.equal(grad, old) for grad, old in zip(grads, before, strict=True))
