"""Takes a whole tensor for a pending sum as it is, so that the sum of the parts is twice the whole."""

import solution
from solution import *  # noqa: F403
from solution import Tiny
from torch.distributed.tensor import Partial, Replicate

right_move = solution.move


def move(tensor, want):
    if tensor.placement == Replicate() and want == Partial():
        return Tiny(tensor.local, want, tensor.shape)
    return right_move(tensor, want)


solution.move = move
