"""The losses are those of the states, a step starts from data, and its graph runs once."""

import pytest
import torch
import torch._lazy
from exercise import logged
from torch._lazy import debug, metrics, ts_backend

if not torch._C._dispatch_has_kernel_for_dispatch_key("aten::add.Tensor", "Lazy"):
    ts_backend.init()


def waits_for(tensor):
    """How many nodes stand behind a lazy tensor, itself among them."""
    return debug.dump_ir([tensor], "text").count("= [")


@pytest.fixture
def state():
    """Two zeros."""
    return torch.zeros(2).to("lazy")


@pytest.fixture
def batches():
    """Four batches of two numbers."""
    return [torch.full((2,), number).to("lazy") for number in (1.0, 2.0, 3.0, 4.0)]


def test_the_losses_are_those_of_each_step(state, batches):
    losses, last = logged(lambda state, batch: (state + batch, (state + batch).sum()), state, iter(batches))
    assert losses == [2.0, 6.0, 12.0, 20.0]
    assert all(isinstance(loss, float) for loss in losses)
    assert last.device.type == "lazy" and last.tolist() == [10.0, 10.0]


def test_no_batch_has_no_loss(state):
    losses, last = logged(lambda state, batch: (state, batch), state, [])
    assert losses == [] and last is state


def test_each_step_starts_from_data(state, batches):
    behind = []

    def step(state, batch):
        behind.append(waits_for(state + 0))
        return state + batch, batch.sum()

    logged(step, state, batches)
    assert len(set(behind)) == 1, behind


def test_the_loss_has_the_noise_of_its_state(state, batches):
    states = []

    def step(state, batch):
        states.append(state + torch.rand(2, device="lazy"))
        return states[-1], states[-1].sum()

    losses, _ = logged(step, state, batches)
    assert losses == pytest.approx([sum(state.tolist()) for state in states])


def test_one_graph_is_run_in_a_step(state, batches):
    torch._lazy.mark_step()  # what waits elsewhere is none of this test's
    metrics.reset()
    logged(lambda state, batch: (state * batch, (state * batch).sum()), state, batches)
    names = metrics.counter_names()
    graphs = sum(metrics.counter_value(n) for n in ("UncachedCompile", "CachedCompile") if n in names)
    assert graphs == len(batches)
