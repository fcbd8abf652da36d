"""Which operators build an iterator, and from which length on PyTorch asks for threads."""

import ctypes
import os
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from collections.abc import Callable
from pathlib import Path

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
def who_builds() -> None:
    """Call what PyTorch's own tests list, each with its first sample, and count the iterators."""
    stand_in = types.ModuleType("expecttest")  # the list is imported with the base class of the tests
    stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    sys.modules.setdefault("expecttest", stand_in)
    from torch.testing._internal.common_methods_invocations import op_db

    builds, kinds = counter("builds"), {"UnaryUfuncInfo": "unary", "BinaryUfuncInfo": "binary"}
    kinds["ReductionOpInfo"] = "reductions"
    found: dict[str, dict[str, int]] = {kind: {} for kind in (*kinds.values(), "others")}
    for op in op_db:
        name = f"{op.name}.{op.variant_test_name}" if op.variant_test_name else op.name
        if torch.float32 not in op.supported_dtypes("cpu") or name.startswith("jiterator"):
            continue
        sample = next(iter(op.sample_inputs_func(op, "cpu", torch.float32, requires_grad=False)))
        before = builds.value
        op(sample.input, *sample.args, **sample.kwargs)
        found[kinds.get(type(op).__name__, "others")][name] = builds.value - before
    for kind, counts in found.items():
        none = [name for name, count in counts.items() if count == 0]
        told = f", all but {' '.join(none)}" if 0 < len(none) < 20 else ""
        print(f"{kind}: {len(counts) - len(none)} of {len(counts)} built one{told}")


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
    "torch.rand(n)": lambda x: torch.rand(len(x)),
}


def first_length(call: Callable) -> int | None:
    """The least number of elements, up to a million, for which a team of threads is asked for."""
    teams = counter("teams")

    def asks(length: int) -> bool:
        x = torch.ones(length)
        before = teams.value
        call(x)
        return teams.value > before

    low, high = 1, 2**20
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

    who_builds()
    torch.set_num_threads(2)
    for name, call in CALLS.items():
        print(f"{name:14}", first_length(call))
