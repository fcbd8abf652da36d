"""What a checkpoint has to do, from the least to the subtlest."""

import weakref

import pytest
import torch
from exercise import checkpoint
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Storages(TorchDispatchMode):
    """Remembers, weakly, the storages of what operators return."""

    def __init__(self) -> None:
        super().__init__()
        self.alive: weakref.WeakSet[torch.UntypedStorage] = weakref.WeakSet()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        outputs = func(*args, **(kwargs or {}))
        self.alive.update(leaf.untyped_storage() for leaf in tree_leaves(outputs) if isinstance(leaf, Tensor))
        return outputs

    def besides(self, *tensors: Tensor) -> int:
        """How many are alive that are not those of these tensors."""
        return len(set(self.alive) - {tensor.untyped_storage() for tensor in tensors})


class Region:
    """A small region that counts its runs and remembers, weakly, the storage of an intermediate result."""

    def __init__(self) -> None:
        self.weight = torch.linspace(-1.0, 1.0, 12).reshape(3, 4).requires_grad_()
        self.x = torch.linspace(0.0, 2.0, 6).reshape(2, 3).requires_grad_()
        self.runs = 0
        self.hidden: weakref.ref[torch.UntypedStorage] | None = None

    def __call__(self, x: Tensor) -> Tensor:
        self.runs += 1
        hidden = (x @ self.weight).tanh()
        self.hidden = weakref.ref(hidden.untyped_storage())
        return (hidden * hidden).sum() + x.exp().sum()

    def gradients(self) -> list[list[list[float]]]:
        return [self.x.grad.tolist(), self.weight.grad.tolist()]


def plain_gradients() -> list[list[list[float]]]:
    region = Region()
    region(region.x).backward()
    return region.gradients()


def test_a_region_runs_once_before_backward_and_once_in_it():
    region = Region()
    loss = checkpoint(region, region.x)
    assert region.runs == 1, "forward itself has to run the region, and only once"
    loss.backward()
    assert region.runs == 2, "every saved tensor must come from one and the same second run"


def test_the_gradients_are_those_of_the_plain_region():
    region = Region()
    checkpoint(region, region.x).backward()
    assert region.gradients() == plain_gradients(), "also for the weight, which is no argument of the region"


def test_the_gradient_is_right_beside_an_argument_that_needs_none():
    x, y = torch.linspace(1.0, 2.0, 3, requires_grad=True), torch.linspace(2.0, 3.0, 3)
    checkpoint(lambda x, y: (x * y).sin().sum(), x, y).backward()
    assert torch.equal(x.grad, y * (x * y).cos()), "the second run must ask to keep what the first did"


def test_nothing_of_the_region_is_kept_until_backward():
    plain, region = Region(), Region()
    kept = plain(plain.x)
    assert plain.hidden() is not None, "without a checkpoint the graph keeps the hidden activation"
    with Storages() as storages:
        loss = checkpoint(region, region.x)
    assert region.hidden() is None, "the graph still holds the hidden activation"
    assert storages.besides(loss, region.x, region.weight) == 0, "something holds a copy"
    assert loss.requires_grad and kept.requires_grad


def test_nothing_of_the_second_run_is_kept_after_backward():
    region = Region()
    loss = checkpoint(region, region.x)
    with Storages() as storages:
        loss.backward(retain_graph=True)
    assert region.hidden() is None, "what was computed again outlives the backward that needed it"
    left = storages.besides(loss, region.x, region.weight, region.x.grad, region.weight.grad)
    assert left == 0, "a copy of what was computed again outlives the backward"


def test_a_second_backward_computes_again():
    region = Region()
    loss = checkpoint(region, region.x)
    loss.backward(retain_graph=True)
    region.x.grad = region.weight.grad = None
    loss.backward()
    assert region.runs == 3, "each backward runs the region once more, and once only"
    assert region.gradients() == plain_gradients()


def test_a_backward_after_one_that_asked_for_a_part():
    x, y = (torch.linspace(1.0, 2.0, 3, requires_grad=True) for _ in range(2))
    loss = checkpoint(lambda x, y: x.sin().sum() + y.exp().sum(), x, y)
    torch.autograd.grad(loss, y, retain_graph=True)  # asks nothing of what `sin` wanted kept
    loss.backward()
    assert torch.equal(x.grad, x.cos()) and torch.equal(y.grad, y.exp()), "one was handed out for another"


def test_a_changed_argument_is_noticed():
    region = Region()
    loss = checkpoint(region, region.x)
    with torch.no_grad():
        region.x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


@pytest.mark.parametrize("needs_gradient", [True, False])
def test_a_changed_second_argument_is_noticed(needs_gradient):
    x, y = (torch.linspace(1.0, 2.0, 3, requires_grad=needs) for needs in (True, needs_gradient))
    loss = checkpoint(lambda x, y: (x * y).sin().sum(), x, y)
    with torch.no_grad():
        y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_an_argument_changed_after_a_part_of_backward_is_noticed():
    x, y = (torch.linspace(1.0, 2.0, 3, requires_grad=True) for _ in range(2))
    loss = checkpoint(lambda x, y: x.sin().sum() + y.exp().sum(), x, y)
    torch.autograd.grad(loss, y, retain_graph=True)  # leaves what `sin` wanted kept: x itself
    with torch.no_grad():
        x.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(loss, x)
