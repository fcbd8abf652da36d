"""A parameter and a buffer are assigned to a module, and the module is converted."""

import torch
from torch import nn


def path():
    """The assignments, and the conversion that goes through what they have registered."""
    module = nn.Module()
    module.weight = nn.Parameter(torch.zeros(2))
    module.mean = nn.Buffer(torch.zeros(2))
    weight, mean = module.weight, module.mean
    module.double()
    return module, weight, mean


if __name__ == "__main__":
    module, weight, mean = path()
    print("registered:", list(module._parameters), list(module._buffers))
    print("the parameter is the same object:", module.weight is weight, weight.dtype)
    print("the buffer is the same object:   ", module.mean is mean, mean.dtype)
