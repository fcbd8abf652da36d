"""Be the propagator: decide what a product of two tensors on two ranks needs, and send it."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor, distributed
from torch.distributed.tensor import Partial, Placement, Replicate, Shard

#: What a product can be computed from without any message, in PyTorch's order: left, right, and the result.
WAYS = (
    (Replicate(), Replicate(), Replicate()),
    (Shard(1), Shard(0), Partial()),
    (Shard(0), Replicate(), Shard(0)),
    (Replicate(), Shard(1), Shard(1)),
    (Partial(), Replicate(), Partial()),
    (Replicate(), Partial(), Partial()),
)
BANDWIDTH = 87.7 * 0.22  # GiB in a second, as PyTorch takes it for this mesh
START, HOP = 6.6, 2.7  # microseconds: of a collective, and of each of its hops


@dataclass
class Tiny:
    """A tensor on two ranks: what this rank holds, its placement, and the shape of the whole."""

    local: Tensor
    placement: Placement
    shape: tuple[int, ...]


def price(tensor: Tiny, want: Placement) -> float:
    have = tensor.placement
    if have in (want, Replicate()):
        return 0.0
    if want == Partial():
        return math.inf
    held = tensor.local.nbytes / 2**30
    if have == Partial():
        hops = 2 if want == Replicate() else 1
    else:
        hops, held = 1, held * 2 if want == Replicate() else held
    cost = START + hops * HOP + held * hops / 2 / BANDWIDTH * 1e6
    return cost + isinstance(have, Shard) * isinstance(want, Shard)


def _half(whole: Tensor, dim: int) -> Tensor:
    return whole.chunk(2, dim)[distributed.get_rank()].contiguous()


def move(tensor: Tiny, want: Placement) -> Tiny:
    have, local = tensor.placement, tensor.local
    if have == want:
        return tensor
    if want == Partial():
        local = local / 2
    elif have == Partial() and want == Replicate():
        local = local.clone()
        distributed.all_reduce(local)
    elif have == Partial():
        parts = [part.contiguous() for part in local.chunk(2, want.dim)]
        local = torch.empty_like(parts[0])
        distributed.reduce_scatter(local, parts)
    else:
        if isinstance(have, Shard):
            parts = [torch.empty_like(local) for _ in range(2)]
            distributed.all_gather(parts, local.contiguous())
            local = torch.cat(parts, have.dim)
        if isinstance(want, Shard):
            local = _half(local, want.dim)
    return Tiny(local, want, tensor.shape)


def matmul(left: Tiny, right: Tiny) -> Tiny:
    def burden(way: tuple[Placement, ...]) -> tuple[float, int]:
        moves = (left.placement != way[0]) + (right.placement != way[1])
        return price(left, way[0]) + price(right, way[1]), moves

    one, other, result = min(WAYS, key=burden)
    product = move(left, one).local @ move(right, other).local
    return Tiny(product, result, (left.shape[0], right.shape[1]))
