"""What this page says of all operators of a kind, and of all moves on a mesh, counted."""

from collections.abc import Callable
from itertools import product

import torch
from counting import issued, placed
from inside_torch.claims import counted, tensor_methods
from inside_torch.run.ranks import on_ranks
from torch import Tensor
from torch._ops import OpOverload
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor

propagator = DTensor._op_dispatcher.sharding_propagator
REGISTERED = {*propagator.op_strategy_funcs, *propagator.op_single_dim_strategy_funcs}


def with_one_tensor() -> dict[str, OpOverload]:
    """The registered operators of ATen that need one tensor, do not write to it, and are not random."""
    found = {}
    for operator in REGISTERED:
        needed = [each for each in operator._schema.arguments if not each.has_default_value()]
        if (
            operator.namespace != "aten"
            or len(needed) != 1
            or not isinstance(needed[0].type, torch.TensorType)
        ):
            continue
        random = torch.Tag.nondeterministic_seeded in operator.tags or operator.name() == "aten::empty_like"
        if not random and not (needed[0].alias_info and needed[0].alias_info.is_write):
            found[operator.name().removeprefix("aten::")] = operator
    return found


def same(one: Tensor, other: Tensor) -> bool:
    alike = one.shape == other.shape and one.dtype == other.dtype
    return alike and torch.allclose(one, other, equal_nan=True)


def on_wholes_and_parts(rank: int) -> dict[str, bool]:
    """Of each such operator: whether each placement of each whole tensor led to what the whole one gives."""
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(0)
    wholes = torch.rand(3, 4) + 0.25, torch.zeros(3, 4)
    holds: dict[str, bool] = {}
    for name, operator in with_one_tensor().items():
        for whole, placement in product(wholes, (Partial(), Shard(0), Shard(1))):
            try:
                expected = operator(whole)
            except RuntimeError:
                continue  # no operator for such numbers
            if not isinstance(expected, Tensor):
                continue
            if placement.is_partial():  # so that the parts are not nought where the whole is
                tensor = DTensor.from_local(whole / 2 + (rank or -1), mesh, [placement])
            else:
                tensor = distribute_tensor(whole, mesh, [placement])  # three rows: the shards differ in size
            holds[name] = holds.get(name, True) and same(operator(tensor).full_tensor(), expected)
    return holds


def judged() -> dict[str, bool]:
    return on_ranks(on_wholes_and_parts)[0]


@counted(judged, planted=lambda: False, minimum=80)
def operators_agree(holds: bool) -> bool:
    """An operator of one tensor gives, of one that is split or to be summed, what it gives of the whole."""
    return holds


def data_dependent() -> dict[str, OpOverload]:
    """The operators of ATen whose output has a shape that hangs on the data, by their tag."""
    found = {}
    for name in torch._C._dispatch_get_all_op_names():
        namespace, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        operator = getattr(getattr(torch.ops.aten, packet, None), overload or "default", None)
        if namespace == "aten" and operator and torch.Tag.dynamic_output_shape in operator.tags:
            found[rest] = operator
    return found


@counted(data_dependent, planted=lambda: torch.ops.aten.mm.default, minimum=10)
def data_dependent_have_no_strategy(operator: OpOverload) -> bool:
    """An operator whose output has a shape that hangs on the data has no sharding strategy."""
    return operator not in REGISTERED


def numbers_of_methods(rank: int) -> dict[str, tuple[str, bool]]:
    """Of each method that makes a pending number of a split vector: what `.item()` sent, if it is ours."""
    mesh = init_device_mesh("cpu", (2,))
    found = {}
    for name in sorted(tensor_methods(in_place=False)):
        if name.startswith("_"):
            continue
        tensor = placed(torch.arange(1.0, 5.0), mesh, Shard(0))
        try:
            number = getattr(tensor, name)()
        except Exception:  # a method that wants arguments, or that DTensor has not
            continue
        if isinstance(number, DTensor) and number.ndim == 0 and number.placements[0].is_partial():
            item, sent = issued(number.item)
            found[name] = sent, item == number.to_local().item()
    return found


@counted(lambda: on_ranks(numbers_of_methods)[0], planted=lambda: ("all_reduce", True), minimum=8)
def item_sends_nothing(seen: tuple[str, bool]) -> bool:
    """Of a pending number, made of a split vector, `.item()` gives this rank's part and sends nothing."""
    return seen == ("-", True)


PLACEMENTS = Shard(0), Shard(1), Replicate(), Partial()


def moves(rank: int) -> dict[str, bool]:
    """Of each move on a mesh of two by two: whether the whole tensor is afterwards what it was."""
    mesh = init_device_mesh("cpu", (2, 2))
    whole, found = torch.arange(16.0).reshape(4, 4), {}
    for have in product(PLACEMENTS, repeat=2):
        local = whole
        for dim, placement in enumerate(have):
            if placement.is_shard():
                local = local.chunk(2, placement.dim)[mesh.get_local_rank(dim)]
            elif placement.is_partial():
                local = local * (2 if mesh.get_local_rank(dim) == 0 else -1)
        for want in product(PLACEMENTS[:3], repeat=2):
            tensor = DTensor.from_local(local.contiguous(), mesh, have)
            moved = tensor.redistribute(placements=want)
            name = " to ".join(" ".join(map(str, each)) for each in (have, want))
            found[name] = moved.placements == want and torch.equal(moved.full_tensor(), whole)
    return found


@counted(lambda: all_ranks(moves), planted=lambda: False, minimum=144)
def moves_keep_the_tensor(holds: bool) -> bool:
    """A move from one pair of placements to another, on a mesh of two by two, keeps the whole tensor."""
    return holds


def all_ranks(work: Callable[[int], dict[str, bool]]) -> dict[str, bool]:
    """What holds on each of four ranks."""
    ranks = on_ranks(work, world=4)
    return {name: all(each[name] for each in ranks) for name in ranks[0]}
