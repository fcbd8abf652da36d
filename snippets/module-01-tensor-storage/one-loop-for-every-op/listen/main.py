"""Which operators build an iterator, and from which length on PyTorch asks for threads."""

import ctypes
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent


# region preload
def listening() -> None:
    """Compile `listen.cpp` and run this program once more, with it loaded before PyTorch's libraries."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder, "listen.so")
        subprocess.run(["g++", "-shared", "-fPIC", HERE / "listen.cpp", "-o", library, "-ldl"], check=True)
        environment = os.environ | {"LD_PRELOAD": str(library)}
        sys.exit(subprocess.run([sys.executable, __file__], env=environment).returncode)


# endregion


def counter(name: str) -> ctypes.c_long:
    return ctypes.c_long.in_dll(ctypes.CDLL(os.environ["LD_PRELOAD"]), name)


# region builds
def tagged(tag: Any) -> Iterator[Any]:
    """The operators of ATen that have this tag and write to no argument."""
    for full_name in sorted(torch._C._dispatch_get_all_op_names()):
        library, _, name = full_name.partition("::")
        packet, _, overload = name.partition(".")
        if library == "aten" and hasattr(torch.ops.aten, packet):
            op = getattr(getattr(torch.ops.aten, packet), overload or "default", None)
            if op and tag in op.tags and not op._schema.is_mutable:
                yield op


def arguments(op: Any, dtype: Any) -> dict[str, Any]:
    """Tensors of one shape and numbers, for what has no default."""
    numbers = torch.rand(3, 4) + 0.5
    given = {"decimals": 1, "rounding_mode": "floor", "condition": numbers > 1, "mask": numbers > 1}
    given |= {"keepdim": True, "dtype": dtype}
    if "clamp" in op.name() or "clip" in op.name():
        given["min"] = numbers if "Tensor" in op.name() else 1
    found = {}
    for argument in op._schema.arguments:
        if argument.name in given:
            found[argument.name] = given[argument.name]
        elif not argument.has_default_value():
            tensor, dims = str(argument.type) == "Tensor", "List[int]" in str(argument.type)
            found[argument.name] = numbers.to(dtype) if tensor else [0] if dims else 1
    return found


def built(op: Any) -> bool:
    """Whether the operator builds an iterator: called with floats, or with integers if it takes no floats."""
    builds = counter("builds")
    for dtype in torch.float32, torch.int64:
        try:
            given = arguments(op, dtype)
            before = builds.value
            op(**given)
            return builds.value > before
        except (RuntimeError, NotImplementedError):
            continue
    raise RuntimeError(f"{op.name()} takes neither")


# endregion

# region threads
CALLS: dict[str, Callable] = {
    "x + x": lambda x: x + x,
    "x.sigmoid()": lambda x: x.sigmoid(),
    "x.clone()": lambda x: x.clone(),
    "x.sum()": lambda x: x.sum(),
    "x[reversed]": lambda x: x[torch.arange(len(x) - 1, -1, -1)],
    "x.exp()": lambda x: x.exp(),
    "x.round()": lambda x: x.round(),
    "x.cumsum(0)": lambda x: x.cumsum(0),
    "x.expand(2, n).cumsum(0)": lambda x: x.expand(2, -1).cumsum(0),
    "torch.rand(n)": lambda x: torch.rand(len(x)),
}


def first_length(call: Callable) -> int | None:
    """The least number of elements, up to 100,000, for which a team of threads is asked for."""
    teams = counter("teams")

    def asks(length: int) -> bool:
        x = torch.ones(length)
        before = teams.value
        call(x)
        return teams.value > before

    low, high = 1, 100_000
    if not asks(high):
        return None
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if asks(middle) else (middle + 1, high)
    return low


# endregion

if __name__ == "__main__":
    if "LD_PRELOAD" not in os.environ:
        listening()
    warnings.simplefilter("ignore")
    import torch

    for tag in "pointwise", "reduction":
        found = {op.name(): built(op) for op in tagged(getattr(torch.Tag, tag))}
        none = ", ".join(name for name, one in found.items() if not one)
        print(f"{tag}: {sum(found.values())} of {len(found)} built one, all but {none}")
    torch.set_num_threads(2)
    for name, call in CALLS.items():
        print(f"{name:24}", first_length(call))
