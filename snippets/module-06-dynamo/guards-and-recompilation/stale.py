"""What a compiled function reads is changed: has it noticed?"""

import math
import os
import sys
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch._dynamo.eval_frame import _debug_get_cache_entry_list as cache_entries

# region read
RATE = 2
WEIGHT = torch.full((1,), 2.0)
tensor, another = torch.ones(1), torch.ones(1)
parameter, second = nn.Parameter(tensor), nn.Parameter(another)


class Scale:
    """Something with a number and a method."""

    rate = 2

    def __init__(self):
        self.own = 2

    def scaled(self, x: Tensor) -> Tensor:
        return x * 2

    @classmethod
    def by_class(cls, x: Tensor) -> Tensor:
        return x * 2

    @staticmethod
    def static(x: Tensor) -> Tensor:
        return x * 2

    def __call__(self, x: Tensor) -> Tensor:
        return x * 2

    @property
    def double(self) -> int:
        return 2


class Near(Scale):
    """Has all from the other class."""


class Model(nn.Module):
    """With one submodule."""

    def __init__(self):
        super().__init__()
        self.inner = nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        return self.inner(x)


scale, other, near, model, shadowed = Scale(), Scale(), Near(), Model(), Model()


@torch.compiler.assume_constant_result
def promised() -> int:
    return RATE


def default(x: Tensor, rate: int = 2) -> Tensor:
    return x * rate


# endregion


def put(name: str, value: object) -> Callable[[], None]:
    """Change a global variable of this file."""
    return lambda: globals().update({name: value})


def hook() -> None:
    """One more hook on the submodule."""
    model.inner.register_forward_hook(lambda module, args, result: result * 3)


# region table
TABLE: list[tuple[str, Callable, Callable]] = [
    ("a global variable", lambda x: x * RATE, put("RATE", 3)),
    ("the numbers of a global tensor", lambda x: x * WEIGHT, lambda: WEIGHT.fill_(3)),
    ("an attribute of an object", lambda x: x * scale.own, lambda: setattr(scale, "own", 3)),
    ("an attribute of its class", lambda x: x * scale.rate, lambda: setattr(Scale, "rate", 3)),
    ("an attribute put on a nearer class", lambda x: x * near.rate, lambda: setattr(Near, "rate", 4)),
    ("two objects that become one", lambda x: x + (scale is other), put("other", scale)),
    ("two tensors that become one", lambda x: x + (tensor is another), put("another", tensor)),
    ("two parameters that become one", lambda x: x + (parameter is second), put("second", parameter)),
    (
        "one parameter that becomes two",
        lambda x: x + (parameter is second),
        lambda: put("second", nn.Parameter(another))(),
    ),
    (
        "a method put on the object",
        lambda x: scale.scaled(x),
        lambda: setattr(scale, "scaled", lambda x: x * 3),
    ),
    ("a default argument", lambda x: default(x), lambda: setattr(default, "__defaults__", (3,))),
    ("a submodule", lambda x: model(x), lambda: setattr(model, "inner", nn.Tanh())),
    ("a first hook on a submodule", lambda x: model(x), hook),
    ("a second hook", lambda x: model(x), hook),
    (
        "a method of a class",
        lambda x: near.scaled(x),
        lambda: setattr(Scale, "scaled", lambda self, x: x * 3),
    ),
    (
        "a class method",
        lambda x: near.by_class(x),
        lambda: setattr(Scale, "by_class", classmethod(lambda cls, x: x * 3)),
    ),
    (
        "a static method",
        lambda x: near.static(x),
        lambda: setattr(Scale, "static", staticmethod(lambda x: x * 3)),
    ),
    ("`__call__`", lambda x: near(x), lambda: setattr(Scale, "__call__", lambda self, x: x * 3)),
    ("a property", lambda x: x * near.double, lambda: setattr(Scale, "double", property(lambda self: 3))),
    (
        "a submodule behind a name of the object's own",
        lambda x: shadowed(x),
        lambda: object.__setattr__(shadowed, "inner", nn.Tanh()),
    ),
    ("`os.environ`", lambda x: x * int(os.environ["RATE"]), lambda: os.environ.update(RATE="3")),
    ("`os.getenv`", lambda x: x * int(os.getenv("RATE")), lambda: os.environ.update(RATE="4")),
    ("a function of `math`", lambda x: x * math.sqrt(4), lambda: setattr(math, "sqrt", lambda number: 3)),
    ("`sys.getrecursionlimit`", lambda x: x * sys.getrecursionlimit(), lambda: sys.setrecursionlimit(3000)),
    ("a promised constant", lambda x: x * promised(), put("RATE", 4)),
]
# endregion

if __name__ == "__main__":
    os.environ["RATE"] = "2"
    for what, function, change in TABLE:
        torch._dynamo.reset()
        x = torch.ones(1)
        compiled = torch.compile(function, backend="eager")
        compiled(x)
        assert len(cache_entries(function)) == 1
        change()
        print(f"{what:45} {'noticed' if torch.equal(compiled(x), function(x)) else 'STALE'}")
