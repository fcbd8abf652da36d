"""Small models whose calls can be read off their code."""

import pytest
import torch
from exercise import call_tree
from torch import nn
from torch.nn.modules import module as everywhere


class Twice(nn.Module):
    """Calls one child twice, which has two names."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = self.again = nn.Sequential(nn.Linear(2, 2), nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.again(self.inner(x))


class Picky(nn.Module):
    """Takes no negative numbers."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if (x < 0).any():
            raise ValueError("negative")
        return x.sqrt()


class Careful(nn.Module):
    """Tries one child, and calls another after a failure."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Sequential(Picky())
        self.second = nn.Identity()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        try:
            return self.first(x)
        except ValueError:
            return self.second(x)


class Shortcut(nn.Module):
    """Calls a part of its child, and not the child."""

    def __init__(self) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.ReLU())

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.inner[0](x)


def hooks_of(model: nn.Module) -> list[int]:
    return [
        len(hooks)
        for module in model.modules()
        for hooks in (module._forward_pre_hooks, module._forward_hooks, module._forward_hooks_always_called)
    ] + [len(everywhere._global_forward_pre_hooks), len(everywhere._global_forward_hooks)]


def test_calls_are_listed_with_their_depth():
    model, x = Twice(), torch.ones(1, 2)
    inner = [(1, "inner"), (2, "inner.0"), (2, "inner.1")]
    result, calls = call_tree(model, x)
    assert calls == [(0, ""), *inner, *inner]
    assert torch.equal(result, model(x))
    assert result.requires_grad


def test_the_depth_is_that_of_the_calls_and_not_of_the_name():
    assert call_tree(Shortcut(), torch.ones(1))[1] == [(0, ""), (1, "inner.0")]


def test_a_call_that_raises_is_over():
    _, calls = call_tree(Careful(), -torch.ones(1))
    assert calls == [(0, ""), (1, "first"), (2, "first.0"), (1, "second")]


def test_a_call_begins_before_its_other_pre_hooks():
    def refuse(*_):
        raise ValueError("refused")

    model = Careful()
    model.first.register_forward_pre_hook(refuse)
    assert call_tree(model, torch.ones(1))[1] == [(0, ""), (1, "first"), (1, "second")]


def test_a_call_ends_after_its_other_forward_hooks():
    model, ran = nn.Sequential(nn.Identity()), []
    model.register_forward_hook(lambda module, args, result: ran.append(module[0](result)))
    assert call_tree(model, torch.ones(1))[1] == [(0, ""), (1, "0"), (1, "0")]
    assert len(ran) == 1, "the model is called once"


def test_no_hook_is_left_after_a_call():
    model = Twice()
    model.inner.register_forward_hook(lambda *_: None)
    model.inner.register_forward_pre_hook(lambda *_: None)
    before = hooks_of(model)
    call_tree(model, torch.ones(1, 2))
    assert hooks_of(model) == before


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt])
def test_no_hook_is_left_after_an_exception(error):
    def fail(*_):
        raise error

    model = nn.Sequential(nn.Identity())
    model[0].register_forward_pre_hook(fail)
    before = hooks_of(model)
    with pytest.raises(error):
        call_tree(model, torch.ones(1))
    assert hooks_of(model) == before


def test_another_model_is_not_listed():
    other = nn.Identity()
    model = nn.Identity()
    model.register_forward_hook(lambda module, args, result: other(result))
    assert call_tree(model, torch.ones(1))[1] == [(0, "")]


def test_the_model_is_called_and_not_its_forward():
    model = nn.Identity()
    model.register_forward_hook(lambda module, args, result: 2 * result)
    assert call_tree(model, torch.ones(1))[0].item() == 2
