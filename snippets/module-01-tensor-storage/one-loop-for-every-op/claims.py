"""What this article says of types, layouts and overlaps, counted."""

import itertools
import random
import warnings
from typing import Any

import torch
from inside_torch.claims import counted
from look.generated import Operand, operand, shape
from look.iterator import Loop, category, common_dtype

warnings.simplefilter("ignore")

#: Those that promote with each other.
DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        torch.bool,
        torch.uint8,
        torch.int8,
        torch.int16,
        torch.int32,
        torch.int64,
        torch.float16,
        torch.bfloat16,
        torch.float32,
        torch.float64,
        torch.complex32,
        torch.complex64,
        torch.complex128,
    )
}
NUMBERS: dict[str, bool | int | float | complex] = {"True": True, "2": 2, "2.0": 2.0, "2j": 2j}


def with_dimensions() -> dict[str, torch.Tensor]:
    return {f"{name}[2]": torch.ones(2, dtype=dtype, device="cpu") for name, dtype in DTYPES.items()}


def without() -> dict[str, torch.Tensor]:
    return {f"{name}[]": torch.ones((), dtype=dtype, device="cpu") for name, dtype in DTYPES.items()}


def operands() -> dict[str, Any]:
    return with_dimensions() | without() | NUMBERS


def pairs() -> dict[str, tuple]:
    """Each two of them, tensors and numbers, of which one at least is a tensor."""
    found = itertools.product(operands().items(), repeat=2)
    return {
        f"{left} + {right}": (a, b)
        for (left, a), (right, b) in found
        if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor)
    }


def pairs_of_types() -> dict[str, tuple]:
    found = itertools.combinations(DTYPES.items(), 2)
    return {f"{left} + {right}": (a, b) for (left, a), (right, b) in found}


@counted(pairs, planted=lambda: (torch.ones(2, dtype=torch.uint16), 2), minimum=800)
def ranks_give_the_type(pair: tuple) -> bool:
    """The common dtype of our three ranks is that of the sum."""
    try:
        return bool((pair[0] + pair[1]).dtype == common_dtype(*pair))
    except NotImplementedError:
        return False


@counted(
    pairs_of_types,
    planted=(torch.uint8, torch.uint16),
    minimum=70,
    exceptions="Neither of the two holds the other.",
)
def one_of_the_two(pair: tuple) -> bool:
    """The dtype that two tensors with dimensions promote to is one of theirs."""
    try:
        return torch.promote_types(*pair) in pair
    except RuntimeError:
        return False


def no_higher_category() -> dict[str, tuple]:
    found = itertools.product(with_dimensions().items(), without().items())
    return {
        f"{left} + {right}": (a, b)
        for (left, a), (right, b) in found
        if category(b.dtype) <= category(a.dtype)
    }


@counted(
    no_higher_category, planted=lambda: (torch.ones(2), torch.ones((), dtype=torch.complex64)), minimum=100
)
def dimensions_decide(pair: tuple) -> bool:
    """A tensor without dimensions, of no higher category, leaves the dtype of one with dimensions."""
    return bool((pair[0] + pair[1]).dtype == pair[0].dtype)


def tensor_pairs() -> dict[str, tuple]:
    found = itertools.product(with_dimensions().items(), (with_dimensions() | without()).items())
    return {f"{left} + {right}": (a, b) for (left, a), (right, b) in found}


@counted(tensor_pairs, planted=lambda: (torch.ones(1).expand(2), torch.ones(2)), minimum=300)
def refused_by_can_cast(pair: tuple) -> bool:
    """An in-place addition raises exactly where `can_cast` refuses the way back from the common dtype."""
    target, other = pair
    allowed = torch.can_cast(torch.result_type(target, other), target.dtype)
    try:
        target.add_(other)
    except RuntimeError:
        return not allowed
    return allowed


def layouts(size: tuple[int, ...]) -> dict[str, torch.Tensor]:
    """A tensor of this shape for each order that its dimensions can have in memory."""
    found = {}
    for order in itertools.permutations(range(len(size))):
        memory = torch.ones([size[dim] for dim in order], device="cpu")
        found[str(order)] = memory.permute([order.index(dim) for dim in range(len(size))])
    return found


def pairs_of_layouts() -> dict[str, tuple]:
    """Two layouts of one shape, of three dimensions that are 1, 2 or 3 long."""
    return {
        f"{size}: {left} + {right}": (a, b)
        for size in itertools.product((1, 2, 3), repeat=3)
        for (left, a), (right, b) in itertools.product(layouts(size).items(), repeat=2)
    }


@counted(
    pairs_of_layouts, planted=lambda: (torch.ones(3, 0, 2).permute(2, 1, 0), torch.ones(2, 0, 3)), minimum=900
)
def layout_of_the_first(pair: tuple) -> bool:
    """Of two of one shape, without gaps, not empty: in dimensions longer than 1, the first's stride."""
    first, total = pair[0], pair[0] + pair[1]
    strides = zip(first.shape, first.stride(), total.stride(), strict=True)
    return all(own == made for size, own, made in strides if size > 1)


def views_without_gaps() -> dict[str, tuple]:
    """Two in one memory, the second of which stretches to the first, and where each begins."""
    choose, found = random.Random(0), {}
    while len(found) < 500:
        whole = shape(choose)
        first = Operand(tuple(whole), tuple(choose.sample(range(len(whole)), len(whole))), (1,) * len(whole))
        pair = (first, choose.randrange(5)), (operand(whole, choose, gaps=False), choose.randrange(5))
        found["; ".join(f"{view} at {offset}" for view, offset in pair)] = pair
    return found


def in_memory(memory: torch.Tensor, view: Operand, offset: int) -> torch.Tensor:
    made = view.made()
    return memory.as_strided(made.shape, made.stride(), offset)


@counted(views_without_gaps, planted="an element of its own, expanded", minimum=500)
def dense_is_refused_or_right(pair: Any) -> bool:
    """Between views that fill a run of one storage, in-place subtraction raises, or is as if from a copy."""
    memory = torch.arange(1000.0, device="cpu") ** 2
    if isinstance(pair, str):
        target = memory[1:5]
        other = target[:1].expand(4)
    else:
        target, other = (in_memory(memory, *view) for view in pair)
    wanted = target - other.clone()
    try:
        target -= other
    except RuntimeError:
        return True
    return torch.equal(target, wanted)


def sums() -> dict[str, tuple]:
    choose, found = random.Random(0), {}
    while len(found) < 500:
        whole = shape(choose)
        pair = tuple(operand(whole, choose, dtypes=("float32", "int64", "float64", "bool")) for _ in range(2))
        found["; ".join(map(str, pair))] = pair
    return found


@counted(sums, planted="of another type", minimum=500)
def ours_is_alike(pair: Any) -> bool:
    """The small iterator's result has the shape, the dtype and the strides of PyTorch's."""
    left, right = (one.made() for one in pair) if isinstance(pair, tuple) else (torch.ones(2), torch.ones(2))
    ours, real = Loop(left, right).operands[0], left + right
    if not isinstance(pair, tuple):
        ours = ours.double()
    return (ours.shape, ours.dtype, ours.stride()) == (real.shape, real.dtype, real.stride())
