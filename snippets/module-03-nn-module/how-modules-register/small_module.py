"""The registration of `nn.Module` without its checks, beside the original."""

import torch
from torch import nn


# region small
class Small:
    """What of `nn.Module` makes plain assignment register."""

    def __init__(self):
        for name in ("_parameters", "_buffers", "_modules"):
            object.__setattr__(self, name, {})

    def __setattr__(self, name, value):
        kept = vars(self)
        if isinstance(value, nn.Parameter):
            home = kept["_parameters"]
        elif isinstance(value, Small):
            home = kept["_modules"]
        elif isinstance(value, nn.Buffer) or (isinstance(value, torch.Tensor) and name in kept["_buffers"]):
            home = kept["_buffers"]
        else:
            home = kept
        for other in (kept, kept["_parameters"], kept["_buffers"], kept["_modules"]):
            if other is not home:
                other.pop(name, None)
        home[name] = value

    def __getattr__(self, name):
        for home in ("_parameters", "_buffers", "_modules"):
            if name in vars(self).get(home, {}):
                return vars(self)[home][name]
        raise AttributeError(name)

    def named_parameters(self, prefix=""):
        yield from ((prefix + name, value) for name, value in self._parameters.items())
        for name, child in self._modules.items():
            yield from child.named_parameters(f"{prefix}{name}.")


# endregion small


def model(base):
    """A block whose class is written once, for either base."""

    class Linear(base):
        def __init__(self, inputs, outputs):
            super().__init__()
            self.inputs = inputs
            self.weight = nn.Parameter(torch.ones(outputs, inputs))
            self.bias = nn.Parameter(torch.zeros(outputs))

    class Block(base):
        def __init__(self):
            super().__init__()
            self.scale = nn.Parameter(torch.ones(()))
            self.shift = nn.Parameter(torch.zeros(()))
            self.first = Linear(2, 3)
            self.steps = nn.Buffer(torch.zeros(()))
            self.second = Linear(3, 1)
            self.scale = nn.Parameter(torch.full((), 2.0))

    return Block()


def names(block):
    """The names that the walk finds, in its order."""
    return [name for name, _ in block.named_parameters()]


def what_happens(block, name, value):
    """The error of an assignment, or where the value then is."""
    try:
        setattr(block, name, value)
    except TypeError as error:
        return str(error)
    return f"{name} is a {type(value).__name__}, parameters: {names(block)}"


if __name__ == "__main__":
    ours, theirs = model(Small), model(nn.Module)
    print("ours:  ", names(ours))
    print("theirs:", names(theirs))
    print("a tensor is assigned to `scale`")
    print("ours:  ", what_happens(ours, "scale", torch.ones(())))
    print("theirs:", what_happens(theirs, "scale", torch.ones(())))
