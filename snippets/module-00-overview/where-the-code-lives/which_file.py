"""Which .cpp file was a name compiled from? The symbol tables of the wheel's libraries know.

    python which_file.py [beginning of a name, with its namespaces or without ...]

The libraries are not stripped, and ELF lists the local symbols of each object file behind the name of its
source. A global symbol has no such place; but where the compiler has split off its unlikely part, that part
(`… [clone .cold]`) is local and gives the file away.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import torch

LIBRARIES = Path(torch.__file__).parent / "lib"


# region read
def symbols(library):
    """Demangled name: the source files that define it. No file for what only the linker could place."""
    table = subprocess.run(["nm", "-apC", LIBRARIES / library], check=True, capture_output=True, text=True)
    units, unit = defaultdict(set), None
    lines = table.stdout.splitlines()
    last = max(number for number, line in enumerate(lines) if line[17:18] == "a")
    for number, line in enumerate(lines):
        kind, name = line[17:18], line[19:]
        if kind == "a":
            unit = name
        elif kind.islower() and kind != "w" and number < last:
            units[name.removesuffix(" [clone .cold]")].add(unit)
        elif kind not in "Uw":
            units[name].update()
    return units


# endregion

NAMES = [
    "torch::autograd::THPVariable_add(",
    "torch::autograd::VariableType::(anonymous namespace)::add_Tensor(",
    "torch::autograd::generated::AddBackward0::apply(",
    "at::_ops::add_Tensor::call(",
    "at::(anonymous namespace)::wrapper_CPU_add_Tensor(",
    "at::(anonymous namespace)::wrapper_CPU__linalg_slogdet(",
    "at::meta::structured_add_Tensor::meta(",
    "at::native::structured_ufunc_add_CPU::impl(",
    "at::native::(anonymous namespace)::add_kernel(",
    "at::native::add(",
    "at::native::structured_mul_out::impl(",
    "at::native::(anonymous namespace)::mul_kernel(",
    "at::native::structured_eq_Tensor_out::impl(",
    "at::native::linear(",
    "at::native::layer_norm_cpu(",
    "at::native::(anonymous namespace)::LayerNormKernelImpl(",
    "at::native::add_Scalar_out(",
    "at::native::(anonymous namespace)::cholesky_kernel(",
]

SOURCES = ("GradMode.cpp", "grad_mode.cpp", "UfuncCPU_add.cpp", "UfuncCPU_mul.cpp")


def begins(name, wanted):
    """Whether a function's name begins so, from its first namespace or from a later one."""
    at = 0 if name.startswith(wanted) else name.find(f"::{wanted}")
    before, behind = name[: max(at, 0)], name[at + len(wanted) :]
    scoped = not re.search(r"[<( ]", before.replace("(anonymous namespace)", ""))
    return at >= 0 and scoped and not re.search(r"\)::| \[clone", behind)


if __name__ == "__main__":
    unknown = dict.fromkeys(sys.argv[1:] or NAMES)
    for library in ("libtorch_python.so", "libtorch_cpu.so"):
        print(library)
        table = symbols(library)
        for wanted in sys.argv[1:] or NAMES:
            for name in sorted(name for name in table if wanted in name and begins(name, wanted)):
                unknown.pop(wanted, None)
                print("   ", name)
                print("       ", ", ".join(sorted(table[name])) or "(a global symbol)")
    if unknown:
        sys.exit(f"no function in these libraries begins with {', '.join(unknown)}: misspelt, or inlined")
    if not sys.argv[1:]:
        for library in ("libc10.so", "libtorch_cpu.so", "libtorch_python.so"):
            table = subprocess.run(
                ["nm", "-ap", LIBRARIES / library], check=True, capture_output=True, text=True
            )
            compiled = set(re.findall(r" a (\S+)$", table.stdout, re.MULTILINE))
            held = ", ".join(source for source in SOURCES if source in compiled)
            print(f"{library}, of {', '.join(SOURCES)}: {held or 'none'}")
