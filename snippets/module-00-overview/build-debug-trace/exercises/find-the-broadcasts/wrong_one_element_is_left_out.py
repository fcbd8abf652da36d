"""Takes a tensor of one element for a number, whatever its dimensions."""

import solution
import torch
from solution import *  # noqa: F403
from solution import Broadcast, line_of_the_caller


class Finder(solution.Finder):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        shapes = tuple(tuple(arg.shape) for arg in args if torch.is_tensor(arg) and arg.numel() > 1)
        if torch.Tag.pointwise in func.tags and len(set(shapes)) > 1:
            self.found.append(Broadcast(str(func), shapes, line_of_the_caller()))
        return func(*args, **(kwargs or {}))


solution.Finder = Finder
solution.NOT_THE_CALLER += (__file__,)
