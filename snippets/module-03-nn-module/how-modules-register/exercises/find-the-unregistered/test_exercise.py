import torch
from exercise import unregistered
from torch import nn


def linear() -> nn.Linear:
    return nn.Linear(1, 1)


def test_nothing_to_find():
    assert unregistered(nn.Sequential(linear(), nn.ModuleList([linear()]), nn.BatchNorm1d(2))) == []


def test_containers():
    module = nn.Module()
    module.heads = [linear(), nn.Parameter(torch.ones(1))]
    module.table = {"a": (linear(),), "b": 3, 2: nn.Parameter(torch.ones(1)), "c": linear()}
    assert unregistered(module) == [
        "heads[0].weight",
        "heads[0].bias",
        "heads[1]",
        "table['a'][0].weight",
        "table['a'][0].bias",
        "table[2]",
        "table['c'].weight",
        "table['c'].bias",
    ]


def test_in_a_child():
    module = nn.Sequential(nn.Module())
    module[0].gates = [nn.Parameter(torch.ones(1))]
    module[0].gates.append(nn.ParameterList([torch.ones(1)]))
    assert unregistered(module) == ["0.gates[0]", "0.gates[1].0"]


def test_in_a_module_in_a_list():
    module, inner = nn.Module(), linear()
    inner.extra = [nn.Parameter(torch.ones(1))]
    module.heads = [inner]
    assert unregistered(module) == ["heads[0].extra[0]", "heads[0].weight", "heads[0].bias"]


def test_registered_elsewhere_is_no_find():
    module = nn.Module()
    module.first = linear()
    module.also = [module.first, module.first.weight]
    module.equal = [nn.Parameter(module.first.weight.detach())]  # another parameter, in the same memory
    assert unregistered(module) == ["equal[0]"]


def test_once_and_below_itself():
    module, shared = nn.Module(), linear()
    module.heads = [shared, shared]
    module.heads.append([module])
    module.child = nn.Module()
    module.child.parent = module  # registered, below itself
    assert unregistered(module) == ["heads[0].weight", "heads[0].bias"]


def test_children_of_what_is_found_in_a_private_attribute():
    module, gate = nn.Module(), nn.Parameter(torch.ones(1))
    module._heads = [nn.Sequential(linear()), gate, gate]
    assert unregistered(module) == ["_heads[0].0.weight", "_heads[0].0.bias", "_heads[1]"]


def test_what_a_grandchild_keeps():
    module = nn.Sequential(nn.Sequential(nn.Module()), linear())
    frozen = nn.UninitializedParameter(requires_grad=False)
    module[0][0].kept = [module[1].weight, torch.ones(1), frozen]
    assert unregistered(module) == ["0.0.kept[2]"]
