"""Prices a gather by the bytes that a rank holds before it, and not by those that it holds after."""

import solution
from solution import *  # noqa: F403
from solution import BANDWIDTH
from torch.distributed.tensor import Replicate, Shard

right_price = solution.price


def price(tensor, want):
    found = right_price(tensor, want)
    if isinstance(tensor.placement, Shard) and want == Replicate():
        found -= tensor.local.nbytes / 2**30 / 2 / BANDWIDTH * 1e6
    return found


solution.price = price
