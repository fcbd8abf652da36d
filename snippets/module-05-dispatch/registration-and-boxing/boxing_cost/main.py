"""What a box costs: a kernel that does nothing, called from a loop in C++ in both ways, boxed and unboxed."""

import os
import sys
import tempfile
from pathlib import Path

import torch
from torch.library import Library
from torch.utils.cpp_extension import load

CALLS = 10_000  # in one timing
ROUNDS = 40  # timings of each way, taken in turn


def build() -> None:
    """Compile the loops with optimisation, as PyTorch's own code is, and load them."""
    # The build calls ninja by its name. It lies beside the interpreter, which may not be on the PATH.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        load(
            name="boxing_cost",
            sources=[str(Path(__file__).with_name("boxing_cost.cpp"))],
            extra_cflags=["-O2"],
            is_python_module=False,
            build_directory=folder,
        )


# region measure
def measure() -> dict[str, float]:
    """Times over that of an unboxed call of an unboxed kernel, each the least of rounds taken in turn."""
    build()
    ops = torch.ops.boxing_cost
    library = Library("boxing_cost", "IMPL")
    library.impl("python", lambda x, eps: x, "CompositeImplicitAutograd")
    x = torch.ones(2)
    ways = {
        "unboxed_call_unboxed_kernel": lambda: ops.unboxed_call(x, "boxing_cost::unboxed", CALLS),
        "unboxed_call_boxed_kernel": lambda: ops.unboxed_call(x, "boxing_cost::boxed", CALLS),
        "boxed_call_unboxed_kernel": lambda: ops.boxed_call(x, "boxing_cost::unboxed", CALLS),
        "boxed_call_boxed_kernel": lambda: ops.boxed_call(x, "boxing_cost::boxed", CALLS),
        "through_autograd_fallback": lambda: ops.unboxed_call(x, "boxing_cost::no_autograd", CALLS),
        "python_kernel": lambda: ops.unboxed_call(x, "boxing_cost::python", CALLS),
        "add": lambda: ops.add_call(x, CALLS),
    }
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(ROUNDS):
        for name, way in ways.items():
            times[name].append(way())
    least = {name: min(found) for name, found in times.items()}
    unit = least["unboxed_call_unboxed_kernel"]
    return {name: round(time / unit, 2) for name, time in least.items()}


# endregion


if __name__ == "__main__":
    for name, ratio in measure().items():
        print(f"{name}: {ratio}")
