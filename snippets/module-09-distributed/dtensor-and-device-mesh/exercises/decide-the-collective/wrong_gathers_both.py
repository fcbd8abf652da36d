"""Makes both operands whole, which is right and sends too much."""

from solution import *  # noqa: F403
from solution import Tiny, move
from torch.distributed.tensor import Replicate


def matmul(left, right):
    product = move(left, Replicate()).local @ move(right, Replicate()).local
    return Tiny(product, Replicate(), (left.shape[0], right.shape[1]))
