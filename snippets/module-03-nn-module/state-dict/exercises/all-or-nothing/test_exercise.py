import pytest
import torch
from exercise import load_whole
from torch import nn


def net(width: int = 2) -> nn.Sequential:
    return nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1), nn.Linear(1, width))


def numbers(module: nn.Module) -> dict[str, list[float]]:
    return {name: value.flatten().tolist() for name, value in module.state_dict().items()}


def refused(module: nn.Module, state_dict: dict) -> None:
    """The load raises, and the module has its numbers and its objects still."""
    before, objects = numbers(module), [id(each) for each in module.parameters()]
    with pytest.raises(RuntimeError, match="Error"):
        load_whole(module, state_dict)
    assert numbers(module) == before
    assert [id(each) for each in module.parameters()] == objects


def test_what_fits_is_loaded():
    module, other = net(), net()
    objects = [id(each) for each in module.parameters()]
    load_whole(module, other.state_dict())
    assert numbers(module) == numbers(other)
    assert [id(each) for each in module.parameters()] == objects
    with torch.no_grad():
        other[0].weight.add_(1)
    assert numbers(module) != numbers(other)


def test_another_size():
    refused(net(2), net(3).state_dict())


def test_a_name_too_many():
    refused(net(), {**net().state_dict(), "2.scale": torch.ones(1)})


def test_a_name_too_few():
    other = net().state_dict()
    del other["2.bias"]
    refused(net(), other)


def test_no_tensor():
    refused(net(), {**net().state_dict(), "2.bias": "none"})
