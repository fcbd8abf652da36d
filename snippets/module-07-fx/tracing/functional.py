"""What is recorded of writes: by make_fx alone, through functionalize, and under FunctionalTensorMode."""

import torch
from torch import Tensor
from torch._subclasses.functional_tensor import dispatch_functionalize
from torch.fx.experimental.proxy_tensor import make_fx


# region writes
def by_name(x: Tensor) -> Tensor:
    """Writes to a tensor of its own, and goes on with that."""
    y = x * 2
    y.sub_(1)
    return y.sum()


def by_view(x: Tensor) -> Tensor:
    """Writes through a view."""
    y = x * 2
    y[0].sub_(1)
    return y.sum()


def to_input(x: Tensor) -> Tensor:
    """Writes to its argument."""
    x.sub_(1)
    return x.sum()


# endregion


if __name__ == "__main__":
    # region recorded
    ways = {
        "make_fx": lambda f: f,
        "functionalize": torch.func.functionalize,
        "the mode": dispatch_functionalize,
    }
    for function in by_name, by_view, to_input:
        print(function.__name__)
        for name, through in ways.items():
            module = make_fx(through(function))(torch.ones(2))
            x = torch.ones(2)
            module(x)
            calls = [node.name for node in module.graph.nodes if node.op == "call_function"]
            print(f"    {name:14}", *calls, "| x is", x.tolist())
    # endregion
