"""The claims of the article, counted."""

import ctypes
import os
import re
import subprocess
import sys
import tempfile
import zipfile
from functools import cache
from pathlib import Path

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parent))
from packaged import inputs, package

WHEEL = Path(torch.__file__).parent


def dynamic(library: str | Path, which: str) -> set[str]:
    """The names in a library's dynamic table that it has, or that it needs; without their versions."""
    command = ["nm", "-D", f"--{which}-only", str(library)]
    table = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].partition("@")[0] for line in table.splitlines()}


@cache
def from_pytorch() -> tuple[str, ...]:
    """What the package's library needs and libtorch_cpu or libc10 has, but C++'s own library has not."""
    with zipfile.ZipFile(package()) as archive, tempfile.TemporaryDirectory() as folder:
        (name,) = (name for name in archive.namelist() if name.endswith(".so"))
        needed = dynamic(archive.extract(name, folder), "undefined")
    libraries = (WHEEL / "lib" / name for name in ("libtorch_cpu.so", "libc10.so"))
    shared = needed & set().union(*(dynamic(library, "defined") for library in libraries))
    own = ctypes.CDLL("libstdc++.so.6")
    return tuple(name for name in shared if not hasattr(own, name))


@counted(from_pytorch, planted="_ZN2at6Tensor4set_Ev", minimum=15)
def taken_from_the_shim(symbol: str) -> bool:
    """What the package's library takes from PyTorch's libraries is named as a C function of the shim."""
    return symbol.startswith("aoti_torch_")


HEADERS = "c_shim_cpu.h", "c_shim_aten.h"


def declarations() -> dict[str, str]:
    """The functions that these two headers declare, by their names."""
    found = {}
    for header in HEADERS:
        text = (WHEEL / "include/torch/csrc/inductor/aoti_torch/generated" / header).read_text()
        for line in re.findall(r"^AOTI_TORCH_EXPORT (.*);", text, re.MULTILINE):
            found[line.partition("(")[0].split()[-1]] = line
    return found


#: A number, the address of numbers or of characters, or the handle of a tensor or of the address of some.
PLAIN = re.compile(r"(const )?(AtenTensorHandle|AtenGeneratorHandle|int32_t|int64_t|double|char)\**")


@counted(declarations, planted="AOTITorchError f(std::string name)", minimum=150)
def plain_types(declaration: str) -> bool:
    """A function of an operator's shim takes numbers and addresses, and returns a code."""
    head, _, arguments = declaration.partition("(")
    kinds = [argument.strip().rpartition(" ")[0] for argument in arguments.rstrip(")").split(",")]
    return head.startswith("AOTITorchError ") and all(PLAIN.fullmatch(kind) for kind in kinds)


#: A dtype, a size, and the stride of each of its dimensions.
SECONDS = st.tuples(
    st.sampled_from(("float32", "float32", "float64", "int32", "float16")),
    st.one_of(st.tuples(st.integers(1, 4), st.integers(1, 3)), st.sampled_from(((2, 2), (2, 2, 1)))),
    st.sampled_from(((2, 1, 1), (2, 1, 2), (1, 2, 1), (3, 1, 1), (4, 2, 1), (0, 1, 1))),
)
ELSEWHERE = "float32", (2, 2), (2, 1, 1), "meta"


def second(case: tuple) -> Tensor:
    """A second input of that dtype, size and stride, in memory that is larger than what the package reads."""
    dtype, size, stride, *device = case
    numbers = torch.zeros(64, dtype=getattr(torch, dtype), device=device[0] if device else "cpu")
    return numbers.as_strided(size, stride[: len(size)])


@cache
def loader(checks: bool) -> torch._C._aoti.AOTIModelPackageLoader:
    """The package, which has been run once with the variable set, or without it."""
    loaded = torch._C._aoti.AOTIModelPackageLoader(package(), "model", False, 1, -1)
    os.environ["AOTI_RUNTIME_CHECK_INPUTS"] = str(int(checks))
    loaded.run(list(inputs()))
    return loaded


def taken(case: tuple | None, checks: bool) -> bool:
    """Whether the package takes this second input; None is for none at all."""
    x, _ = inputs()
    try:
        loader(checks).run([x] if case is None else [x, second(case)])
    except RuntimeError:
        return False
    return True


@counted(cases(SECONDS, count=150), planted=None, minimum=100)
def taken_unchecked(case: tuple | None) -> bool:
    """Without the variable the package takes a second input of another dtype, other sizes, other strides."""
    return taken(case, checks=False)


@counted(cases(SECONDS, count=150), planted=lambda: ELSEWHERE, minimum=100)
def checked_as_foretold(case: tuple) -> bool:
    """With it, it takes those that have the dtype, the sizes and the strides of the first call's, and refuses
    the others."""
    dtype, size, stride, *_ = case
    right = dtype == "float32" and size == (2, 2) and stride[:2] == (2, 1)
    return taken(case, checks=True) == right
