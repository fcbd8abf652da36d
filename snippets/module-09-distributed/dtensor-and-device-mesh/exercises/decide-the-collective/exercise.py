"""Be the propagator: decide what a product of two tensors on two ranks needs, and send it.

A tensor has one of four placements: `Shard(0)`, `Shard(1)`, `Replicate()` and `Partial()`. Sizes are even.
The mesh is one of two CPUs, so what PyTorch takes for the link is the one between two machines.
"""

from dataclasses import dataclass

from torch import Tensor
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
    """Microseconds that PyTorch expects of bringing `tensor` to `want`; infinite where it refuses."""
    raise NotImplementedError


def move(tensor: Tiny, want: Placement) -> Tiny:
    """The same tensor with the placement `want`, by at most one collective of `torch.distributed`."""
    raise NotImplementedError


def matmul(left: Tiny, right: Tiny) -> Tiny:
    """The product, by the cheapest way; of those that cost the same, by one of fewest moves, the first."""
    raise NotImplementedError
