"""What this article says of modules, files and the weights-only unpickler, counted."""

import io
import pickle
import zipfile
from functools import reduce
from typing import Any

import torch
from hypothesis import strategies as st
from inside_torch.claims import built_nn_modules, cases, counted, subclasses
from torch import _weights_only_unpickler as unpickler
from torch import nn


def in_torch_nn() -> dict[str, type]:
    """The subclasses of Module that the packages below torch.nn define."""
    found = subclasses(nn.Module, "torch.nn.utils.parametrizations")
    return {name: kind for name, kind in found.items() if kind.__module__.startswith("torch.nn.")}


class Own(nn.Module):
    """Has a `state_dict` of its own."""

    def state_dict(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        return {}


@counted(in_torch_nn, planted=lambda: Own, minimum=150)
def no_state_dict_of_its_own(kind: type) -> bool:
    """A module class of torch.nn has the `state_dict` of Module, by whatever way it inherits."""
    return kind.state_dict is nn.Module.state_dict


class Thing:
    """A class that no unpickler allows by default."""


class Extra(nn.Module):
    """Saves an object of a class of its own beside the tensors."""

    def get_extra_state(self) -> Any:
        return Thing()


@counted(built_nn_modules, planted=lambda: Extra(), minimum=150)
def keys_are_paths(module: nn.Module) -> bool:
    """Each key of a module of torch.nn leads by attributes to its value."""
    found = module.state_dict(keep_vars=True).items()
    return all(
        reduce(lambda at, name: getattr(at, name, None), key.split("."), module) is value
        for key, value in found
    )


@counted(built_nn_modules, planted=lambda: Extra(), minimum=150)
def state_dict_comes_back(module: nn.Module) -> bool:
    """The state dict of a module of torch.nn is read from its file with `weights_only`, and is the same."""
    saved, file = module.state_dict(), io.BytesIO()
    torch.save(saved, file)
    file.seek(0)
    try:
        loaded = torch.load(file, weights_only=True)
    except pickle.UnpicklingError:
        return False
    return (
        list(loaded) == list(saved)
        and loaded._metadata == saved._metadata
        and all(torch.equal(loaded[name], saved[name]) for name in saved)
    )


def allowed() -> dict[str, Any]:
    """What the weights-only unpickler allows by default."""
    return dict(unpickler._get_allowed_globals())


@counted(allowed, planted=lambda: nn.Linear, minimum=100)
def no_module_allowed(value: Any) -> bool:
    """Nothing that the weights-only unpickler allows by default is a module class."""
    return not (isinstance(value, type) and issubclass(value, nn.Module))


def saved(sizes: list[int]) -> bytes:
    """A file of torch.save with tensors of these sizes in bytes."""
    file = io.BytesIO()
    torch.save({str(index): torch.zeros(size, dtype=torch.uint8) for index, size in enumerate(sizes)}, file)
    return file.getvalue()


def zipped_by_others() -> bytes:
    """The same records, written by Python's zipfile."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(saved([3]))) as source, zipfile.ZipFile(file, "w") as copy:
        for record in source.infolist():
            copy.writestr(record.filename, source.read(record))
    return file.getvalue()


@counted(
    cases(st.lists(st.integers(1, 300), min_size=1, max_size=6).map(saved), count=100),
    planted=zipped_by_others,
)
def begins_at_64(content: bytes) -> bool:
    """At the default alignment a storage's record begins at a multiple of 64 bytes and is not compressed."""
    reader = torch._C.PyTorchFileReader(io.BytesIO(content))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        records = [each for each in archive.infolist() if each.filename.startswith("archive/data/")]
    return bool(records) and all(
        each.compress_type == zipfile.ZIP_STORED
        and reader.get_record_offset(each.filename.removeprefix("archive/")) % 64 == 0
        for each in records
    )
