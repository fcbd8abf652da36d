"""What this article says of addresses and of lazy copies, counted."""

import sys
import types
import unittest
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from typing import Any

import torch
from inside_torch.claims import called, counted, tensor_methods

warnings.simplefilter("ignore")

is_lazy = torch._C._is_cow_tensor


def placed(values: torch.Tensor, offset: int) -> torch.Tensor:
    """The same values at an address that is so many bytes behind a multiple of 64."""
    memory = torch.empty(values.nbytes + 128, dtype=torch.uint8, device="cpu")
    begin = -memory.data_ptr() % 64 + offset
    return memory[begin : begin + values.nbytes].view(values.dtype).view(values.shape).copy_(values)


def three_by_four() -> torch.Tensor:
    return torch.arange(12.0, device="cpu").reshape(3, 4).clone()


def memory_of_its_own() -> list[str]:
    """Those whose result has another storage."""
    found = []
    for name in tensor_methods(in_place=False):
        tensor = three_by_four()
        result = called(name, tensor)
        if result is None or not result.numel():  # `new` gives a tensor of no numbers, which has no address
            continue
        if result.untyped_storage()._cdata != tensor.untyped_storage()._cdata:
            found.append(name)
    return found


def sizes() -> dict[str, int]:
    """Small ones, and those around the powers of two, up to 64 MiB."""
    found = [*range(1, 401), *(2**power + more for power in range(9, 27) for more in (-1, 0, 1))]
    return {str(size): size for size in found}


@counted(sizes, planted=0, minimum=400)
def begins_at_64(size: int) -> bool:
    """A new block of so many bytes begins at a multiple of 64, and not at address zero."""
    address = torch.empty(size, dtype=torch.uint8, device="cpu").data_ptr()
    return address % 64 == 0 and address != 0


@counted(memory_of_its_own, planted="view_as_real", minimum=100)
def result_begins_at_64(name: str) -> bool:
    """The result of a method, called on a tensor that is 4 bytes off, begins at a multiple of 64."""
    if name == "view_as_real":
        return three_by_four()[1:].data_ptr() % 64 == 0
    result = called(name, placed(three_by_four(), 4))
    return result is not None and result.data_ptr() != 0 and result.data_ptr() % 64 == 0


def its_address(tensor: torch.Tensor) -> torch.Tensor:
    return torch.tensor(tensor.data_ptr() % 64, device="cpu")


def run(name: str, tensor: torch.Tensor) -> torch.Tensor | None:
    return its_address(tensor) if name == "data_ptr" else called(name, tensor)


@counted(lambda: tensor_methods(in_place=False), planted="data_ptr", minimum=100)
def same_bits_anywhere(name: str) -> bool:
    """A method without arguments gives the same bits 4, 32 and 60 bytes behind a multiple of 64 as at it."""
    for shape in (3, 4), (33, 65):
        values = torch.rand(shape, generator=torch.Generator().manual_seed(1), device="cpu") + 0.1
        wanted = run(name, placed(values, 0))
        for offset in 4, 32, 60:
            found = run(name, placed(values, offset))
            if (found is None) != (wanted is None):
                return False
            if found is not None and wanted is not None and not same_bits(found, wanted):
                return False
    return True


def same_bits(left: torch.Tensor, right: torch.Tensor) -> bool:
    return left.dtype == right.dtype and raw(left) == raw(right)


def raw(tensor: torch.Tensor) -> bytes:
    flat = tensor.detach().resolve_conj().flatten().clone()
    return flat.view(torch.uint8).numpy().tobytes()


@counted(lambda: tensor_methods(in_place=True), planted="through an array", minimum=50)
def leaves_the_other(name: str) -> bool:
    """An in-place method on a tensor or on its lazy clone leaves the numbers of the other as they were."""
    for written in 0, 1:
        first = three_by_four()
        array = first.numpy()
        pair = [first, torch._lazy_clone(first)]
        if name == "through an array":
            array += 1
        else:
            called(name, pair[written])
        if not torch.equal(pair[1 - written], three_by_four()):
            return False
    return True


@cache
def known_operators() -> dict[str, Any]:
    """What PyTorch's own tests list, by name: operators and functions with samples of their arguments."""
    if "expecttest" not in sys.modules:  # the list is imported with the base class of the tests
        stand_in = types.ModuleType("expecttest")
        stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
        sys.modules["expecttest"] = stand_in
    from torch.testing._internal.common_methods_invocations import op_db

    found = {}
    for op in op_db:
        name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        if torch.float32 in op.supported_dtypes("cpu") and not name.startswith("jiterator"):
            found[name] = op
    return found


def lazily(value: Any, clones: list[torch.Tensor]) -> Any:
    """The argument with a lazy clone for each tensor in it; the clones are collected."""
    if isinstance(value, torch.Tensor) and torch._C._has_storage(value):
        clones.append(torch._lazy_clone(value.detach()))
        return clones[-1]
    if isinstance(value, list | tuple) and any(isinstance(one, torch.Tensor) for one in value):
        return type(value)(lazily(one, clones) for one in value)
    return value


class Planted:
    """Stands for an operator: one sample, and what is to be done with it."""

    def __init__(self, call: Callable[[torch.Tensor], Any]):
        self.call = call

    def sample_inputs_func(
        self, op: Any, device: str, dtype: torch.dtype, requires_grad: bool
    ) -> Iterator[types.SimpleNamespace]:
        yield types.SimpleNamespace(input=torch.ones(3, dtype=dtype, device=device), args=(), kwargs={})

    def __call__(self, tensor: torch.Tensor) -> Any:
        return self.call(tensor)


def samples(op: Any, most: int) -> Iterator[Any]:
    return islice(op.sample_inputs_func(op, "cpu", torch.float32, requires_grad=False), most)


@counted(
    known_operators,
    planted=lambda: Planted(lambda tensor: tensor.data_ptr()),
    minimum=500,
    exceptions="They write to an argument, or ask for an address to write to.",
)
def leaves_it_lazy(op: Any) -> bool:
    """Called with lazy clones of each of 50 samples of PyTorch's tests, it leaves them lazy."""
    clones = list[torch.Tensor]()
    for sample in samples(op, 50):
        arguments = [lazily(value, clones) for value in (sample.input, *sample.args)]
        named = {name: lazily(value, clones) for name, value in sample.kwargs.items()}
        op(*arguments, **named)
    return all(is_lazy(clone) for clone in clones)


@counted(known_operators, planted=lambda: Planted(torch._lazy_clone), minimum=500)
def gives_no_lazy_clone(op: Any) -> bool:
    """Called with the first sample of PyTorch's tests, it gives no tensor with a lazy storage."""
    sample = next(samples(op, 1))
    result = op(sample.input, *sample.args, **sample.kwargs)
    results = result if isinstance(result, list | tuple) else [result]
    tensors = [one for one in results if isinstance(one, torch.Tensor) and torch._C._has_storage(one)]
    return not any(is_lazy(tensor) for tensor in tensors)
