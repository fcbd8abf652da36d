"""Generated loops against eager and against loops of our own, on one thread."""

import ctypes
import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import process_time

import torch
from torch import Tensor

NUMBERS, ROUNDS, TIMES = 1_000_000, 41, 3


# region loops
def silu(x: Tensor) -> Tensor:
    """With an exponential."""
    return x / (1 + (-x).exp())


def line(x: Tensor) -> Tensor:
    """Without one."""
    return (x * 2 + 1).relu() - x * 0.5


LOOPS = r"""
#include <cmath>
extern "C" void silu(const float* in, float* out, long size) {
    for (long i = 0; i < size; i++) out[i] = in[i] / (1.0f + std::exp(-in[i]));
}
extern "C" void line(const float* in, float* out, long size) {
    for (long i = 0; i < size; i++) {
        float y = in[i] * 2.0f + 1.0f;
        out[i] = (y > 0.0f ? y : 0.0f) - in[i] * 0.5f;
    }
}
"""
FLAGS = {
    "O3": ["-O3", "-march=native", "-ffp-contract=off"],
    "fast": ["-O3", "-march=native", "-ffast-math"],
    "no_vectors": ["-O3", "-march=native", "-ffast-math", "-fno-tree-vectorize"],
}
# endregion


def by_hand(folder: Path, name: str, flags: list[str]) -> Callable[[Tensor], Tensor]:
    """A loop of our own, compiled with these flags."""
    library = folder / f"{name}{len(list(folder.iterdir()))}.so"
    compiler = shutil.which("g++") or shutil.which("c++")
    command = [compiler, "-shared", "-fPIC", *flags, "-x", "c++", "-", "-o", str(library), "-lm"]
    subprocess.run(command, input=LOOPS, text=True, check=True)
    loop = getattr(ctypes.CDLL(str(library)), name)

    def call(x: Tensor) -> Tensor:
        result = torch.empty_like(x)
        loop(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(result.data_ptr()), ctypes.c_long(result.numel()))
        return result

    return call


def ways(folder: Path, function: Callable) -> dict[str, Callable[[Tensor], Tensor]]:
    """The ways to run it, each compiled."""
    torch._dynamo.reset()
    found = {"eager": function}
    for name, options in (("compiled", {}), ("one_by_one", {"cpp.simdlen": 1})):
        found[name] = torch.compile(function, options={"cpp.threads": 1} | options)
    for name, flags in FLAGS.items():
        found[name] = by_hand(folder, function.__name__, flags)
    return found


def seconds(call: Callable, x: Tensor) -> float:
    """Of the processor. What the way before has left of the heap is met by a call that is not timed."""
    call(x), call(x)
    start = process_time()
    for _ in range(TIMES):
        call(x)
    return process_time() - start


# region heap
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3  # of glibc's malloc.h


def keep_the_heap() -> None:
    """From now on the C library gives no freed memory back to the system, and takes no block by itself."""
    for parameter in TRIM_THRESHOLD, MMAP_THRESHOLD:
        assert ctypes.CDLL(None).mallopt(parameter, 32 << 20)


# endregion


def here(function: Callable, case: str) -> dict[str, float]:
    """The best time of each way, in this process; of eager alone, where it is to be by itself."""
    torch.set_num_threads(1)
    x = torch.linspace(-5, 5, NUMBERS)
    if case != "eager, as it is":
        keep_the_heap()
    with tempfile.TemporaryDirectory() as temporary, torch.no_grad():
        calls = {"eager": function} if case.startswith("eager") else ways(Path(temporary), function)
        for call in calls.values():
            assert torch.allclose(call(x), function(x), rtol=1e-4, atol=1e-5)
        rounds = [{name: seconds(call, x) for name, call in calls.items()} for _ in range(ROUNDS)]
    return {name: min(each[name] for each in rounds) for name in calls}


def child(function: Callable, case: str) -> dict[str, float]:
    """The same in a process of its own, whose heap nobody else has used."""
    command = [sys.executable, __file__, function.__name__, case]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure() -> dict[str, float]:
    """Eager's time over that of each way, the heap kept; and eager's time as it is over that with it kept."""
    values = {}
    for function in silu, line:
        times = child(function, "all")
        for name, time in times.items():
            if name != "eager":
                values[f"{function.__name__}_{name}"] = round(times["eager"] / time, 2)
        as_it_is, kept = (child(function, case)["eager"] for case in ("eager, as it is", "eager, kept"))
        values[f"{function.__name__}_heap"] = round(as_it_is / kept, 2)
    return values


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(json.dumps(here({"silu": silu, "line": line}[sys.argv[1]], sys.argv[2])))
    else:
        for name, value in measure().items():
            print(f"{name:28} {value}")
