"""PyTorch is the judge: its placements, its prices and the number of its collectives, on two ranks."""

from itertools import product

import pytest
import torch
from exercise import Tiny, matmul, move, price
from inside_torch.run.ranks import on_ranks
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard
from torch.distributed.tensor._collective_utils import redistribute_cost
from torch.distributed.tensor._dtensor_spec import DTensorSpec
from torch.distributed.tensor.debug import CommDebugMode

PLACEMENTS = Shard(0), Shard(1), Replicate(), Partial()


def made(whole: torch.Tensor, mesh: DeviceMesh, placement: Placement) -> tuple[Tiny, DTensor]:
    """A tensor of ours, and the same of PyTorch's."""
    rank = mesh.get_local_rank()
    local = whole
    if isinstance(placement, Shard):
        local = whole.chunk(2, placement.dim)[rank].contiguous()
    elif placement == Partial():
        local = whole * (2, -1)[rank]
    return Tiny(local, placement, tuple(whole.shape)), DTensor.from_local(local, mesh, [placement])


def sent(call) -> tuple:
    """What the call returned, and how many collectives it issued."""
    with CommDebugMode() as mode:
        returned = call()
    return returned, mode.get_total_counts()


def numbers(*shape: int) -> torch.Tensor:
    return torch.arange(float(torch.Size(shape).numel())).reshape(shape) % 7


def prices(rank: int) -> list[str]:
    mesh, wrong = init_device_mesh("cpu", (2,)), []
    for have, want, columns in product(PLACEMENTS, PLACEMENTS, (4, 4096)):
        ours, theirs = made(numbers(8, columns), mesh, have)
        target = DTensorSpec(mesh, (want,), tensor_meta=theirs._spec.tensor_meta)
        expected, actual = redistribute_cost(theirs._spec, target), price(ours, want)
        if actual != pytest.approx(expected):
            wrong.append(f"{have} to {want}, {columns} columns: {actual}, and PyTorch's {expected}")
    return wrong


def moves(rank: int) -> list[str]:
    mesh, wrong = init_device_mesh("cpu", (2,)), []
    for have, want in product(PLACEMENTS, PLACEMENTS):
        if want == Partial() and isinstance(have, Shard):
            continue
        whole = numbers(4, 6)
        moved, count = sent(lambda have=have, want=want, whole=whole: move(made(whole, mesh, have)[0], want))
        full = DTensor.from_local(moved.local, mesh, [moved.placement]).full_tensor()
        if moved.placement != want or not torch.equal(full, whole) or count > 1:
            wrong.append(f"{have} to {want}: {moved.placement} by {count} collectives, {full.tolist()}")
    return wrong


def products(rank: int) -> list[str]:
    mesh, wrong = init_device_mesh("cpu", (2,)), []
    for one, other, columns in product(PLACEMENTS, PLACEMENTS, (64, 166)):
        left, right = numbers(8, 64), numbers(64, columns)
        (our_left, their_left), (our_right, their_right) = made(left, mesh, one), made(right, mesh, other)
        ours, our_count = sent(lambda a=our_left, b=our_right: matmul(a, b))
        theirs, their_count = sent(lambda a=their_left, b=their_right: a @ b)
        if (ours.placement, our_count) != (theirs.placements[0], their_count):
            wrong.append(
                f"{one} @ {other}, {columns} columns: {ours.placement} by {our_count} collectives, "
                f"and PyTorch's {theirs.placements[0]} by {their_count}"
            )
        elif not torch.equal(ours.local, theirs.to_local()):
            wrong.append(f"{one} @ {other}, {columns} columns: other numbers")
    return wrong


def hold(work) -> None:
    """Fails with what was wrong on any of the ranks."""

    def on_one(rank: int) -> list[str] | None:
        try:
            return work(rank)
        except NotImplementedError:
            return None

    ranks = on_ranks(on_one)
    if None in ranks:
        raise NotImplementedError
    lines = [f"    rank {rank}: {line}" for rank, found in enumerate(ranks) for line in found]
    assert not lines, "\n" + "\n".join(lines)


def test_prices_are_those_of_pytorch():
    hold(prices)


def test_a_move_keeps_the_tensor_by_one_collective_at_most():
    hold(moves)


def test_products_are_those_of_pytorch():
    hold(products)
