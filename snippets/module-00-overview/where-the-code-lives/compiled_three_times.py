"""One source file, three object files: which versions of a kernel the library holds, and which one runs.

A DispatchStub has a static pointer for each instruction set. `nm` tells whether the pointer was set at build
time (it lies in the data) or is null (it lies in the zeroed part).
"""

import os
import re
import subprocess
from pathlib import Path

import torch

LIBRARY = Path(torch.__file__).parent / "lib/libtorch_cpu.so"
SETS = ["AVX2", "AVX512", "DEFAULT"]
STUBS = ["add_stub", "LayerNormKernel", "softmax_lastdim_kernel", "cholesky_stub"]

# region versions
POINTER = re.compile(r"([BDbd]) .*::(\w+)_DECLARE_DISPATCH_type>::(DEFAULT|AVX2|AVX512)$", re.MULTILINE)


def versions(names):
    """Stub: the instruction sets for which it points to a function."""
    held = {}
    for kind, stub, instructions in POINTER.findall(names):
        sets = held.setdefault(stub, set())
        if kind in "Dd":
            sets.add(instructions)
    return held


# endregion

if __name__ == "__main__":
    table = subprocess.run(["nm", "-apC", LIBRARY], check=True, capture_output=True, text=True).stdout
    objects = set(re.findall(r" a (\w+\.cpp)\.(DEFAULT|AVX2|AVX512)\.cpp$", table, re.MULTILINE))
    for source in ("UfuncCPUKernel_add.cpp", "layer_norm_kernel.cpp"):
        print(source, "compiled for", *sorted(set_ for file, set_ in objects if file == source))
    sources = {file for file, _ in objects}
    print(
        "files compiled for all three:",
        sum(objects >= {(file, set_) for set_ in SETS} for file in sources),
        "of",
        len(sources),
    )
    held = versions("\n".join(line for line in table.splitlines() if "DISPATCH_type" in line))
    for stub in STUBS:
        print(stub, "points to", *sorted(held[stub]))
    print("stubs with a version for AVX2:", sum("AVX2" in sets for sets in held.values()))
    print("stubs with a version for AVX512:", sum("AVX512" in sets for sets in held.values()))
    print("stubs with none:", sum(not sets for sets in held.values()))
    # torch reads it once, when it needs it. No operator has run yet.
    os.environ["ATEN_CPU_CAPABILITY"] = "default"
    print("ATEN_CPU_CAPABILITY=default uses", torch.backends.cpu.get_cpu_capability())
