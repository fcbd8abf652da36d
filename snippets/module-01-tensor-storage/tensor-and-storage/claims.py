"""What this article says of memory, of methods and of types, counted."""

import warnings
from collections.abc import Callable
from itertools import permutations, product

import torch
from inside_torch.claims import counted

warnings.simplefilter("ignore")

Make = Callable[[], torch.Tensor]


def a_tensor() -> torch.Tensor:
    """Three rows of four, with memory of its own."""
    return torch.arange(12.0, device="cpu").reshape(3, 4).clone()


def called(name: str, tensor: torch.Tensor) -> torch.Tensor | None:
    """What the method gives when it is called with no argument, if that is a tensor."""
    method = getattr(torch.Tensor, name)
    if name.startswith("_") or not callable(method):
        return None
    try:
        result = method(tensor)
    except (RuntimeError, TypeError, ValueError, NotImplementedError, AssertionError):
        return None
    return result if isinstance(result, torch.Tensor) else None


def methods(in_place: bool) -> list[str]:
    """The public methods, by the ending of their names, that give a tensor when called with no argument."""
    names = [name for name in dir(torch.Tensor) if name.endswith("_") == in_place]
    return [name for name in names if called(name, a_tensor()) is not None]


def with_a_result() -> list[str]:
    return methods(in_place=False)


def writing_in_place() -> list[str]:
    return methods(in_place=True)


ARGUMENTS = ((), (0,), (1,), (12,), (0, 1), ((1, 2),), (0, 0), (0, 0, 1), (torch.int32,))


def on_the_same_storage(name: str) -> tuple[torch.Tensor, torch.Tensor] | None:
    """A tensor, and another one on its storage that the method gave, with the first arguments that do."""
    method = getattr(torch.Tensor, name)
    for arguments in ARGUMENTS if callable(method) else ():
        tensor = a_tensor()
        try:
            result = method(tensor, *arguments)
        except Exception:  # whatever a method says to arguments that are not for it
            continue
        for one in result if isinstance(result, (tuple, list)) else (result,):
            if isinstance(one, torch.Tensor) and one is not tensor and same_storage(one, tensor):
                return tensor, one
    return None


def sharing() -> list[str]:
    """The public methods that give another tensor on the same storage."""
    names = [name for name in dir(torch.Tensor) if not name.startswith("_") and not name.endswith("_")]
    return [name for name in names if on_the_same_storage(name) is not None]


def same_storage(left: torch.Tensor, right: torch.Tensor) -> bool:
    dense = torch._C._has_storage(left) and torch._C._has_storage(right)
    return dense and left.untyped_storage()._cdata == right.untyped_storage()._cdata


@counted(
    with_a_result,
    planted="detach",
    minimum=100,
    exceptions="They give the tensor itself or a view of it.",
)
def gives_other_memory(name: str) -> bool:
    """A method that is not in-place, called with no argument, gives a tensor that is not on its storage."""
    tensor = a_tensor()
    result = called(name, tensor)
    return result is not None and result is not tensor and not same_storage(result, tensor)


@counted(
    sharing,
    planted="unsafe_split",
    minimum=30,
    exceptions="They cut a tensor as the methods without `unsafe` do, and leave the counter out.",
)
def shares_the_counter(name: str) -> bool:
    """A tensor that a method gives on the same storage counts the same writes."""
    found = on_the_same_storage(name)
    assert found is not None
    tensor, other = found
    before = other._version
    tensor.add_(1)
    other.add_(1)
    return tensor._version == other._version == before + 2


@counted(
    writing_in_place,
    planted="set_",
    minimum=50,
    exceptions="With no argument `set_` gives the tensor a new, empty storage.",
)
def keeps_its_storage(name: str) -> bool:
    """After an in-place method without arguments the tensor has the storage that it had."""
    tensor = a_tensor()
    storage = tensor.untyped_storage()
    called(name, tensor)
    return tensor.untyped_storage() is storage


@counted(
    writing_in_place,
    planted="requires_grad_",
    minimum=50,
    exceptions="They leave the numbers as they are.",
)
def counts_as_a_write(name: str) -> bool:
    """An in-place method without arguments raises the version by one."""
    tensor = a_tensor()
    called(name, tensor)
    return tensor._version == 1


def types() -> dict[str, torch.dtype]:
    """The dtypes of which a tensor can be made, once each."""
    found = {str(value): value for value in vars(torch).values() if isinstance(value, torch.dtype)}
    return dict(sorted(found.items()))


@counted(
    types,
    planted=lambda: torch.quint2x4,
    minimum=30,
    exceptions="They pack two or four numbers into a byte.",
)
def is_numel_times_itemsize(dtype: torch.dtype) -> bool:
    """The storage of five new numbers has five times the bytes of one."""
    return torch.empty(5, dtype=dtype, device="cpu").untyped_storage().nbytes() == 5 * dtype.itemsize


def jagged() -> torch.Tensor:
    parts = [torch.ones(2, 3, device="cpu"), torch.ones(4, 3, device="cpu")]
    return torch.nested.nested_tensor(parts, layout=torch.jagged)


def layouts() -> dict[str, Make]:
    """A tensor of each layout that torch names."""
    dense = torch.eye(4, device="cpu")
    made: dict[str, Make] = {
        "strided": lambda: dense,
        "jagged": jagged,
        "_mkldnn": dense.to_mkldnn,
        "sparse_coo": dense.to_sparse,
        "sparse_csr": dense.to_sparse_csr,
        "sparse_csc": dense.to_sparse_csc,
        "sparse_bsr": lambda: dense.to_sparse_bsr((2, 2)),
        "sparse_bsc": lambda: dense.to_sparse_bsc((2, 2)),
    }
    named = [name for name, value in vars(torch).items() if isinstance(value, torch.layout)]
    return {name: made[name] for name in named}


@counted(
    layouts,
    planted=lambda: torch.eye(4, device="cpu").to_sparse,
    exceptions="Their numbers lie in other tensors, or in memory in a form of their own.",
)
def has_a_storage(make: Make) -> bool:
    """A tensor of the layout hands out its storage."""
    try:
        make().untyped_storage()
    except NotImplementedError:
        return False
    return True


def views() -> dict[str, torch.Tensor]:
    """Views of 60 numbers: of four types, in each order of the dimensions, cut in two of them."""
    found = {}
    for dtype in torch.float32, torch.float64, torch.int8, torch.complex64:
        whole = torch.arange(60, device="cpu").to(dtype).reshape(3, 4, 5)
        for order in permutations(range(3)):
            for first, last in product(("", "1:", "2:", "::2"), ("", "1:", "2:", "1::2")):
                cut = [
                    slice(*(int(part) if part else None for part in text.split(":"))) if text else slice(None)
                    for text in (first, last)
                ]
                found[f"{dtype} {order} [{first}] [{last}]"] = whole.permute(order)[cut[0]][:, cut[1]]
    return found


@counted(views, planted=lambda: torch.arange(6.0, device="cpu")[6:], minimum=300)
def points_into_its_storage(tensor: torch.Tensor) -> bool:
    """The address of a view is that of its storage plus its offset times the bytes of a number."""
    begin = tensor.untyped_storage().data_ptr()
    return tensor.data_ptr() == begin + tensor.storage_offset() * tensor.element_size()
