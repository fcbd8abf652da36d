import copy
import re

import pytest
import torch
from exercise import load_whole
from torch import nn


def net(width: int = 2) -> nn.Sequential:
    module = nn.Sequential(nn.Linear(1, 1), nn.BatchNorm1d(1), nn.Linear(1, width))
    nn.init.normal_(module[1].running_mean)
    return module


def tensors(module: nn.Module) -> list[int]:
    return [id(each) for each in (*module.parameters(), *module.buffers())]


def numbers(module: nn.Module) -> dict[str, list[float]]:
    named = *module.named_parameters(), *module.named_buffers()
    return {name: value.flatten().tolist() for name, value in named}


def refused(module: nn.Module, state_dict: dict) -> None:
    """What the load raises is raised, and the module has its numbers and its objects still."""
    before, objects = numbers(module), tensors(module)
    with pytest.raises((RuntimeError, ValueError), match="Error") as plain:
        copy.deepcopy(module).load_state_dict(state_dict)
    with pytest.raises(plain.type, match=re.escape(str(plain.value))):
        load_whole(module, state_dict)
    assert numbers(module) == before
    assert tensors(module) == objects


def test_what_fits_is_loaded():
    module, other = net(), net()
    objects = tensors(module)
    load_whole(module, other.state_dict())
    assert numbers(module) == numbers(other)
    assert tensors(module) == objects
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


def test_a_tensor_without_numbers():
    refused(net(), {**net().state_dict(), "2.bias": torch.ones(2, device="meta")})


def test_a_dictionary_that_was_assigned_before():
    given = net(3).state_dict()
    net(3).load_state_dict(given, assign=True)
    values = {name: value.clone() for name, value in given.items()}
    refused(net(2), given)
    assert all(torch.equal(given[name], value) for name, value in values.items())


def test_a_tie():
    first, second, tied = (nn.Sequential(nn.Linear(1, 1), nn.Linear(1, 1)) for _ in range(3))
    tied[1].weight = tied[0].weight
    given = first.state_dict()
    second.load_state_dict(given, assign=True)
    del given["1.bias"]
    refused(tied, given)
    assert tied[1].weight is tied[0].weight


def test_such_a_dictionary_that_fits():
    """It is assigned, as `load_state_dict` does."""
    module, given = net(), net().state_dict()
    net().load_state_dict(given, assign=True)
    load_whole(module, given)
    assert module[0].weight.data_ptr() == given["0.weight"].data_ptr()


def test_a_missing_counter_of_a_batch_norm():
    """It may be missing if the notes are missing too."""
    given = net().state_dict()
    del given["1.num_batches_tracked"]
    refused(net(), given)
    load_whole(net(), dict(given))


class Refuses(nn.Linear):
    def get_extra_state(self) -> int:
        return 1

    def set_extra_state(self, state: int) -> None:
        raise ValueError(f"Error in the extra state {state}")


def test_what_a_module_raises_itself():
    module, other = (nn.Sequential(nn.Linear(1, 1), Refuses(1, 1)) for _ in range(2))
    refused(module, other.state_dict())


class Takes(nn.Module):
    def __init__(self):
        super().__init__()
        self.state = {}

    def get_extra_state(self) -> dict[str, int]:
        return dict(self.state)

    def set_extra_state(self, state: dict[str, int]) -> None:
        self.state.update(state)


def test_what_another_module_has_taken():
    module, other = (nn.Sequential(Takes(), Refuses(1, 1)) for _ in range(2))
    other[0].state["epoch"] = 1
    refused(module, other.state_dict())
    assert module[0].state == {}
    load_whole(module[0], other[0].state_dict())
    assert module[0].state == {"epoch": 1}
