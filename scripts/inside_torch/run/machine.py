"""What a recording was made on: torch's release and build, the processor, tools that are there."""

from __future__ import annotations

import functools
import importlib.util
import os
import platform
import re
import shutil
from pathlib import Path

from inside_torch.dry.cuda_build import COMPILERS, CUDA, SETUP
from inside_torch.errors import BookError


@functools.cache
def site_packages() -> Path:
    """The folder that holds the installed ``torch`` (found without importing it)."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        raise BookError("torch", "torch is not installed here", "the environment that scripts/dev.py makes")
    return Path(spec.origin).parents[1]


@functools.cache
def torch_build() -> tuple[str, str]:
    """Release and build of the installed torch, as ``("2.13.0", "cpu")`` or ``("2.13.0", "cu130")``."""
    version = (site_packages() / "torch" / "version.py").read_text()
    full = re.search(r"__version__ = '([^']+)'", version)
    assert full is not None, "torch/version.py says no version"
    release, _, local = full[1].partition("+")
    cuda = re.search(r"^cuda: .*= '([^']+)'", version, re.MULTILINE)
    return release, local or ("cu" + cuda[1].replace(".", "") if cuda else "cpu")


@functools.cache
def machine() -> str:
    """Processor and number of cores that this process may use."""
    model = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        with open("/proc/cpuinfo") as stream:
            names = re.findall(r"^model name\s*: (.*)$", stream.read(), re.MULTILINE)
        model = names[0] if names else model
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return f"{platform.system()} {platform.machine()}, {model}, {cores} cores"


def cuda_toolkit() -> Path | None:
    """The folder of CUDA's compiler among the installed packages: a ``CUDA_HOME``. None without it."""
    folder = site_packages() / "nvidia" / f"cu{CUDA}"
    return folder if (folder / "bin" / "nvcc").is_file() else None


def missing(need: str) -> str:
    """Why one of :data:`~inside_torch.book.fence_kinds.NEEDS`, or a device, cannot be had here; empty where
    it can.
    """
    if need == "cpu":
        return ""
    if need == "dry":
        if torch_build()[1] == "cpu":
            return "this torch is the CPU build, which asks nothing of a GPU (`--build cuda` does)"
        return "" if any(map(shutil.which, COMPILERS)) else "no C compiler for the dry GPU"
    if need == "cuda":
        import torch

        return "" if torch.cuda.is_available() else "no CUDA device (torch.cuda.is_available() is False)"
    if need == "nvcc":
        return "" if cuda_toolkit() else f"no wheel of nvcc in this environment ({SETUP})"
    name, commands = {"compiler": ("C++ compiler", ("c++", "g++", "clang++")), "gdb": ("gdb", ("gdb",))}[need]
    return "" if any(map(shutil.which, commands)) else f"no {name}"
