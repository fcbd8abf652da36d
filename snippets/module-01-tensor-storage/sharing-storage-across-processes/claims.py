"""What this article says of messages and of shared memory, counted."""

import math
import tempfile
import warnings
from multiprocessing.reduction import ForkingPickler
from typing import Any
from unittest import mock

import numpy as np
import torch
from hypothesis import strategies as st
from inside_torch.claims import called, cases, counted, tensor_methods
from torch.multiprocessing import reductions
from torch.utils.data import default_collate
from torch.utils.data._utils import worker

warnings.simplefilter("ignore")


def sent(thing: Any) -> tuple[Any, int]:
    """What another process would make of the message, and how many bytes the message has."""
    message = bytes(ForkingPickler.dumps(thing))
    reductions.shared_cache.clear()
    return ForkingPickler.loads(message), len(message)


def three_by_four() -> torch.Tensor:
    return torch.arange(12.0, device="cpu").reshape(3, 4).clone()


def by_storage(same: bool) -> list[str]:
    """Those whose result has the storage of the tensor, or another one."""
    found = []
    for name in tensor_methods(in_place=False):
        tensor = three_by_four()
        result = called(name, tensor)
        if result is not None:
            own = result.untyped_storage()._cdata == tensor.untyped_storage()._cdata
            found += [name] if own == same else []
    return found


def dtypes() -> dict[str, torch.dtype]:
    """Those of which a tensor can be made."""
    found = {}
    for name in dir(torch):
        dtype = getattr(torch, name)
        if isinstance(dtype, torch.dtype) and str(dtype) == f"torch.{name}":
            try:
                torch.zeros(2, dtype=dtype, device="cpu")
            except RuntimeError:
                continue
            found[name] = dtype
    return found


@counted(dtypes, planted=lambda: "a list", minimum=20)
def sent_in_a_few_bytes(dtype: torch.dtype | str) -> bool:
    """A tensor of 2**16 numbers of a type is sent in less than 500 bytes, and arrives with the same bytes."""
    if isinstance(dtype, str):
        return sent([0.5] * 2**16)[1] < 500
    memory = torch.randint(0, 256, (2**16 * dtype.itemsize,), dtype=torch.uint8, device="cpu")
    arrived, size = sent(memory.clone().view(dtype) if dtype != torch.bool else memory.bool())
    wanted = memory if dtype != torch.bool else memory.bool().view(torch.uint8)
    return size < 500 and arrived.dtype == dtype and torch.equal(arrived.view(torch.uint8), wanted)


class Own(torch.Tensor):
    """A subclass, for which nothing is registered."""

    note = ""


class OwnParameter(torch.nn.Parameter):
    """Another one."""


def kinds() -> dict[str, torch.Tensor]:
    """Tensors that are more, or less, than a type and a layout."""
    x = torch.arange(6.0, device="cpu").reshape(2, 3)
    z = torch.tensor([1 + 2j, 3 - 1j], device="cpu")
    scales = torch.tensor([0.1, 0.2], device="cpu")
    with torch.inference_mode():
        inference = x + 0
    own = (x.clone().requires_grad_() * 2).as_subclass(Own)
    own.note = "mine"
    with tempfile.NamedTemporaryFile() as file:
        mapped = torch.from_file(file.name, shared=True, size=6)
    return {
        "as_subclass": own,
        "subclass_leaf": x.clone().as_subclass(Own).requires_grad_(),
        "conj": z.conj(),
        "imag": z.conj().imag,
        "resolve_conj": z.conj().resolve_conj(),
        "to_mkldnn": x.to_mkldnn(),
        "quantize_per_tensor": torch.quantize_per_tensor(x, 0.1, 3, torch.quint8),
        "quantize_per_channel": torch.quantize_per_channel(x, scales, torch.zeros(2).long(), 0, torch.qint8),
        "from_file": mapped,
        "to_sparse": x.to_sparse(),
        "coo_leaf": x.to_sparse().requires_grad_(),
        "csr_leaf": x.to_sparse_csr().requires_grad_(),
        "to_sparse_csr": x.to_sparse_csr(),
        "to_sparse_csc": x.to_sparse_csc(),
        "nested_tensor": torch.nested.nested_tensor([x[0], x[1, :2]]),
        "jagged": torch.nested.nested_tensor([x[0], x[1, :2]], layout=torch.jagged),
        "inference_mode": inference,
        "empty": torch.empty(0, 3, device="cpu"),
        "Parameter": torch.nn.Parameter(x.clone()),
        "parameter_subclass": OwnParameter(x.clone()),
    }


def dense(tensor: torch.Tensor) -> torch.Tensor:
    """Its numbers, in ordinary tensors."""
    if tensor.is_nested:
        return torch.cat([one.flatten() for one in tensor.unbind()])
    return tensor.dequantize() if tensor.is_quantized else tensor.to_dense().resolve_conj().resolve_neg()


def memory(tensor: torch.Tensor) -> torch.Tensor:
    """The tensor in whose storage the numbers are."""
    if tensor.layout == torch.sparse_coo:
        return tensor._values()
    return tensor.values() if tensor.is_nested or tensor.layout != torch.strided else tensor


@counted(kinds, planted=lambda: [1.0], minimum=12)
def kind_arrives(tensor: torch.Tensor | list[float]) -> bool:
    """A tensor of a special kind arrives as one of the same kind and state, in shared memory if in any."""
    if isinstance(tensor, list):
        return isinstance(sent(tensor)[0], torch.Tensor)
    try:
        arrived = sent(tensor)[0]
        same = type(arrived) is type(tensor) and arrived.layout == tensor.layout
        same &= not isinstance(tensor, Own) or arrived.note == "mine"
        same &= arrived.requires_grad == tensor.requires_grad and arrived.is_leaf == tensor.is_leaf
        same &= arrived.is_inference() == tensor.is_inference()
        same &= memory(arrived).is_shared() or not arrived.numel()
        return same and torch.equal(dense(arrived), dense(tensor))
    except (NotImplementedError, OSError, RuntimeError):
        return False


@counted(lambda: by_storage(same=True), planted="clone", minimum=15)
def view_brings_the_storage(name: str) -> bool:
    """What a method makes of a row of a matrix, in the matrix's storage, arrives with the whole storage."""
    whole = torch.rand(64, 64, device="cpu")
    result = called(name, whole[3:4])
    return (
        result is not None and sent(result)[0].untyped_storage().nbytes() == whole.untyped_storage().nbytes()
    )


@st.composite
def layouts(draw: st.DrawFn) -> tuple[tuple[int, ...], tuple[int, ...], int]:
    shape = draw(st.lists(st.integers(1, 5), min_size=0, max_size=4))
    strides = [draw(st.integers(0, 9)) for _ in shape]
    return tuple(shape), tuple(strides), draw(st.integers(0, 9))


@counted(cases(layouts(), count=500), planted=lambda: "made contiguous", minimum=500)
def layout_arrives(layout: Any) -> bool:
    """A tensor of any sizes, strides and offset arrives with the same ones, and with the same numbers."""
    shape, strides, offset = ((3, 4), (1, 3), 0) if layout == "made contiguous" else layout
    length = offset + 1 + sum((size - 1) * step for size, step in zip(shape, strides, strict=True))
    tensor = torch.rand(length, device="cpu").as_strided(shape, strides, offset)
    arrived = sent(tensor.contiguous() if layout == "made contiguous" else tensor)[0]
    return (
        (arrived.shape, arrived.stride(), arrived.storage_offset()) == (shape, strides, offset)
        and torch.equal(arrived, tensor)
        and math.prod(shape) == arrived.numel()
    )


def writing() -> list[str]:
    """The in-place methods that change the numbers of a matrix's storage."""
    found = []
    for name in tensor_methods(in_place=True):
        tensor = three_by_four() + 0.25
        storage = tensor.untyped_storage()
        before = storage.tolist()
        called(name, tensor)
        found += [name] if storage.tolist() != before else []
    return found


@counted(writing, planted="a clone", minimum=50)
def write_is_seen(name: str) -> bool:
    """What an in-place method writes on one side is read on the other, whose version counter stays."""
    tensor = three_by_four() + 0.25
    arrived = sent(tensor)[0]
    counter = tensor._version
    called("sqrt_" if name == "a clone" else name, arrived.clone() if name == "a clone" else arrived)
    fresh = sent(three_by_four() + 0.25)[0]
    wanted = called("sqrt_" if name == "a clone" else name, fresh)
    seen = tensor.untyped_storage().tolist() == fresh.untyped_storage().tolist()
    return seen and wanted is not None and tensor._version == counter


@counted(lambda: by_storage(same=False), planted="detach", minimum=100)
def result_is_private(name: str) -> bool:
    """What a method without arguments makes of a shared tensor, with memory of its own, is not shared."""
    result = called(name, three_by_four().share_memory_())
    return result is not None and not result.is_shared()


def samples() -> dict[str, Any]:
    """What a dataset may give, of which a batch is made."""
    x = torch.ones(2, device="cpu")
    return {"Tensor": x, "ndarray": x.numpy(), "int": 1, "float": 1.0, "bool": True, "float32": np.float32(1)}


@counted(samples, planted=lambda: 2, minimum=6)
def collated_in_shared_memory(sample: Any) -> bool:
    """In a worker a batch of the default `collate_fn` is made in shared memory."""
    with mock.patch.object(worker, "_worker_info", "of some worker"):
        return default_collate([sample, sample]).is_shared()
