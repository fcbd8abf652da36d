"""What this article says of all views, gone through."""

import random
from collections.abc import Callable
from itertools import count as numbers_from
from itertools import permutations, product
from typing import Any

import torch
from decide import of_torch, view_strides
from inside_torch.claims import counted, has_kernel


def seeded_cases(make: Callable[[int], Any], count: int) -> Callable[[], dict[str, Any]]:
    """A population of so many different cases, made from the seeds 0, 1, 2 and so on.

    Hypothesis would take a millisecond for each, more than all that is asked of it.
    """

    def generated() -> dict[str, Any]:
        found: dict[str, Any] = {}
        for seed in numbers_from():
            case = make(seed)
            found.setdefault(repr(case), case)
            if len(found) == count:
                return found
        raise AssertionError("seeds do not end")

    return generated


def tensor_of(sizes: tuple[int, ...], strides: tuple[int, ...]) -> torch.Tensor:
    """A tensor of these sizes and strides, on as much memory as it needs."""
    last = sum(max(size - 1, 0) * stride for size, stride in zip(sizes, strides, strict=True))
    return torch.ones(last + 1).as_strided(sizes, strides)


def view_asked_for(seed: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
    """Sizes, strides, and sizes of another shape with as many numbers.

    A plain tensor is permuted, cut and repeated, and now and then a stride is any number.
    """
    pick = random.Random(seed)
    sizes = [pick.choice((1, 2, 2, 3, 4)) for _ in range(pick.randint(1, 4))]
    strides, length = [], 1
    for size in reversed(sizes):
        strides.insert(0, length)
        length *= size * pick.choice((1, 1, 1, 2))
    if pick.random() < 0.4:
        strides[pick.randrange(len(sizes))] = pick.choice((0, 1, 5))
    order = list(range(len(sizes)))
    if pick.random() < 0.5:
        pick.shuffle(order)
    numbers = torch.Size(sizes).numel()
    wanted = []
    while numbers > 1 and pick.randrange(6):
        wanted.append(pick.choice([one for one in range(2, numbers + 1) if numbers % one == 0]))
        numbers //= wanted[-1]
    wanted.append(numbers)
    for _ in range(pick.randint(0, 2)):
        wanted.insert(pick.randint(0, len(wanted)), 1)
    return tuple(sizes[d] for d in order), tuple(strides[d] for d in order), tuple(wanted)


@counted(seeded_cases(view_asked_for, 3000), planted=((4,), (1,), (-1,)), minimum=2500)
def decided_as_torch(case: tuple) -> bool:
    """Whether a view exists, and its strides, are what our procedure says."""
    sizes, strides, wanted = case
    return view_strides(sizes, strides, wanted) == of_torch(tensor_of(sizes, strides), wanted)


def places(sizes: tuple[int, ...], strides: tuple[int, ...]) -> list[int]:
    """Where each element lies, in the order of reading."""
    return [
        sum(i * step for i, step in zip(index, strides, strict=True)) for index in product(*map(range, sizes))
    ]


@counted(seeded_cases(view_asked_for, 3000), planted=((4,), (1,), (-1,)), minimum=2500)
def refused_where_no_strides_would_do(case: tuple) -> bool:
    """`view` is refused where no strides at all describe the wanted sizes, and nowhere else."""
    sizes, strides, wanted = case
    lie = places(sizes, strides)
    # The only strides that could do: the first step along a dimension says what its stride has to be.
    steps = [torch.Size(wanted[d + 1 :]).numel() for d in range(len(wanted))]
    needed = tuple(lie[step] - lie[0] if size > 1 else 0 for step, size in zip(steps, wanted, strict=True))
    exist = places(wanted, needed) == lie
    return exist == (of_torch(tensor_of(sizes, strides), wanted) is not None)


def factors(numbers: int, most: int) -> list[tuple[int, ...]]:
    """All ways to write a number as a product of up to so many numbers larger than one, in their order."""
    found = [(numbers,)]
    if most > 1:
        for first in range(2, numbers):
            if numbers % first == 0:
                found += [(first, *rest) for rest in factors(numbers // first, most - 1)]
    return found


def turned() -> dict[str, torch.Tensor]:
    """Twenty-four numbers in one, two or three dimensions, in each order of the dimensions."""
    return {
        f"{'x'.join(map(str, sizes))} permuted {order}": torch.arange(24.0).reshape(sizes).permute(order)
        for sizes in factors(24, 3)
        for order in permutations(range(len(sizes)))
    }


class Copying(torch.Tensor):
    """A tensor that copies for each other shape."""

    def reshape(self, *wanted: int) -> torch.Tensor:
        return super().reshape(*wanted).clone()

    def narrow(self, *part: int) -> torch.Tensor:
        return super().narrow(*part).clone()


@counted(turned, planted=lambda: torch.arange(24.0).as_subclass(Copying), minimum=50)
def reshape_copies_without_a_view(tensor: torch.Tensor) -> bool:
    """`reshape` gives the tensor's own memory where a view exists, and new memory where none does."""
    return all(
        (tensor.reshape(wanted).untyped_storage() is tensor.untyped_storage())
        == (of_torch(tensor, wanted) is not None)
        for wanted in factors(24, 4)
    )


@counted(turned, planted=lambda: torch.arange(24.0).as_subclass(Copying), minimum=50)
def narrow_is_a_view(tensor: torch.Tensor) -> bool:
    """`narrow` gives the tensor's own memory, along each dimension."""
    return all(
        tensor.narrow(d, 1, size - 1).untyped_storage() is tensor.untyped_storage()
        for d, size in enumerate(tensor.shape)
    )


FORMATS = {
    torch.contiguous_format: (3, 2, 1, 0),
    torch.channels_last: (1, 3, 2, 0),
}


def strided(seed: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Four sizes, and strides that are those of one of the formats, or nearly."""
    pick = random.Random(seed)
    sizes = tuple(pick.choice((1, 1, 2, 3)) for _ in range(4))
    strides, length = [0, 0, 0, 0], 1
    for d in pick.choice([*FORMATS.values(), (1, 2, 3, 0)]):
        strides[d] = length
        length *= sizes[d]
    if pick.random() < 0.5:
        strides[pick.randrange(4)] = pick.randrange(10)
    return sizes, tuple(strides)


@counted(seeded_cases(strided, 1000), planted=((0, 2, 2, 2), (9, 9, 9, 9)), minimum=800)
def contiguous_but_for_ones(case: tuple) -> bool:
    """A tensor is contiguous where each stride is the product of the sizes inside it, ones left out."""
    sizes, strides = case
    tensor = tensor_of(sizes, strides)
    for memory_format, order in FORMATS.items():
        inside, holds = 1, True
        for d in order:
            holds &= sizes[d] == 1 or strides[d] == inside
            inside *= sizes[d]
        if tensor.is_contiguous(memory_format=memory_format) != holds:
            return False
    return True


def dense() -> dict[str, torch.Tensor]:
    """Tensors of three dimensions without gaps and overlaps, in each order of the dimensions."""
    return {
        f"{'x'.join(map(str, sizes))} permuted {order}": torch.ones(sizes).permute(order)
        for sizes in product((1, 2, 3), repeat=3)
        for order in permutations(range(3))
    }


@counted(dense, planted=lambda: torch.ones(3, 4)[:, :2].t(), minimum=100)
def clone_keeps_dense_strides(tensor: torch.Tensor) -> bool:
    """The clone of a tensor without gaps and overlaps has its strides."""
    return tensor.clone().stride() == tensor.stride()


def in_place() -> list[str]:
    """The methods with an underscore at the end that, called without arguments, write to a tensor."""
    names = []
    for name in dir(torch.Tensor):
        if name.endswith("_") and not name.startswith("_"):
            tensor = torch.full((2, 3), 0.5)
            before = tensor.untyped_storage()
            try:
                getattr(tensor, name)()
            except (RuntimeError, TypeError, ValueError, NotImplementedError):
                continue
            if tensor.untyped_storage() is before and tensor._version:  # it wrote, and there
                names.append(name)
    return names


def refuses(name: str, tensor: torch.Tensor) -> bool:
    """Whether a method is refused on a tensor, for the sake of memory that is written twice."""
    try:
        getattr(tensor, name)()
    except RuntimeError as error:
        if "single memory location" not in str(error):
            raise
        return True
    return False


@counted(in_place, planted="t_", minimum=50)
def repeated_is_not_written(name: str) -> bool:
    """An in-place method is refused on a tensor that `expand` made."""
    return refuses(name, torch.full((1, 3), 0.5).expand(2, 3))


@counted(in_place, planted="triu_", minimum=50)
def refused_or_right(name: str) -> bool:
    """An in-place method is refused on a tensor that `expand` made, or does what it does to a copy."""
    tensor = torch.tensor([[0.25, 0.5, 0.75]]).expand(3, 3)
    copy = tensor.clone()
    return refuses(name, tensor) or torch.equal(tensor, getattr(copy, name)())


@counted(in_place, planted="expanded", minimum=50)
def windows_are_written(name: str) -> bool:
    """An in-place method is carried out on windows that overlap."""
    if name == "expanded":
        return not refuses("neg_", torch.full((1, 3), 0.5).expand(2, 3))
    return not refuses(name, torch.full((4,), 0.5).unfold(0, 2, 1))


def tracked_views() -> list[str]:
    """The ATen operators whose result may lie on an argument's memory, with a kernel of ADInplaceOrView."""
    names = []
    for schema in torch._C._jit_get_all_schemas():
        name = f"{schema.name}.{schema.overload_name}".rstrip(".")
        if (
            name.startswith("aten::")
            and any(result.alias_info and not result.alias_info.is_write for result in schema.returns)
            and torch._C._dispatch_has_kernel(name)
            and has_kernel(name, "ADInplaceOrView")
        ):
            names.append(name.removeprefix("aten::"))
    return names


@counted(tracked_views, planted="add.Tensor", minimum=30)
def view_has_a_copying_twin(name: str) -> bool:
    """A view with a kernel of ADInplaceOrView has a twin that copies, by the name of `…_copy`."""
    operator = name.partition(".")[0]
    return any(schema.name == f"aten::{operator}_copy" for schema in torch._C._jit_get_all_schemas())
