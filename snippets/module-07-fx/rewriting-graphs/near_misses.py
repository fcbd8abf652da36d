"""Patterns beside programs: which are found."""

import operator

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx.passes.utils.matcher_utils import SubgraphMatcher

aten = torch.ops.aten


# region cases
class With(nn.Module):
    """Calls a layer by a name."""

    def __init__(self, name: str, layer: nn.Module):
        super().__init__()
        self.name = name
        self.add_module(name, layer)

    def forward(self, x):
        return getattr(self, self.name)(x) + 1


def writes(x):
    """Between the sum and relu the sum is written to."""
    y = x + 0
    y.neg_()
    return y.relu()


CASES = {
    "the same": (lambda x: torch.relu(x), lambda x: torch.relu(x)),
    "a method": (lambda x: torch.relu(x), lambda x: x.relu()),
    "of nn.functional": (lambda x: torch.relu(x), lambda x: F.relu(x)),
    "`+` for operator.add": (lambda x, y: operator.add(x, y), lambda x, y: x + y),
    "`+` for torch.add": (lambda x, y: torch.add(x, y), lambda x, y: x + y),
    "operands exchanged": (lambda x, y: x.relu() + y, lambda x, y: y + x.relu()),
    "and of an overload": (
        lambda x, y: aten.add.Tensor(x.relu(), y),
        lambda x, y: aten.add.Tensor(y, x.relu()),
    ),
    "a name given": (lambda x: torch.sum(x, dim=0), lambda x: torch.sum(x, 0)),
    "names in another order": (lambda x: x.clamp(min=0, max=1), lambda x: x.clamp(max=1, min=0)),
    "a default given": (lambda x: torch.sort(x), lambda x: torch.sort(x, descending=False)),
    "of an overload": (lambda x: aten.sort.default(x), lambda x: aten.sort.default(x, -1, False)),
    "another number": (lambda x: x * 2, lambda x: x * 3),
    "2.0 for 2": (lambda x: x * 2, lambda x: x * 2.0),
    "-0.0 for 0.0": (lambda x: x * 0.0, lambda x: x * -0.0),
    "a number for a name": (lambda x, y: x * y, lambda x: x * 3),
    "3, then 3.0": (lambda x, y: x * y + y, lambda x: x * 3 + 3.0),
    "a number in a slice": (lambda x, n: x[:n], lambda x: x[:3]),
    "3.0 for 3 in a slice": (lambda x: x[:3], lambda x: x[:3.0]),
    "3.0 for 3 in a dict": (lambda x: x.of({"n": 3}), lambda x: x.of({"n": 3.0})),
    "a name for a number": (lambda x: x * 3, lambda x, y: x * y),
    "one value, two names": (lambda x, y: x + y, lambda x: x + x),
    "a number, two names": (lambda x, y, z: x * y + z, lambda x: x * 3 + 3),
    "two values, one name": (lambda x: x + x, lambda x, y: x + y),
    "used inside": (lambda x: x.neg().relu(), lambda x: x.neg().relu() + 1),
    "and outside": (lambda x: x.neg().relu(), lambda x: (y := x.neg()).relu() + y),
    "three in a row": (lambda x: x.neg().neg(), lambda x: x.neg().neg().neg()),
    "four in a row": (lambda x: x.neg().neg(), lambda x: x.neg().neg().neg().neg()),
    "a write between": (lambda x: (x + 0).relu(), writes),
    "a layer of its name": (With("a", nn.ReLU()), With("a", nn.Sigmoid())),
    "of another name": (With("a", nn.ReLU()), With("b", nn.ReLU())),
}
# endregion


# region count
def count(pattern, program, **options) -> int:
    """How many matches there are."""
    return len(
        SubgraphMatcher(fx.symbolic_trace(pattern).graph, **options).match(fx.symbolic_trace(program).graph)
    )


# endregion


if __name__ == "__main__":
    for name, (pattern, program) in CASES.items():
        print(f"{name:24} {count(pattern, program)}")
