"""The CUDA build of torch: where it is, and whether the dry GPU can be compiled for it."""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

from inside_torch.errors import BookError

#: The major version of CUDA whose calls the library answers: that of ``libcudart.so.13``.
CUDA = 13
SETUP = "python3 scripts/dev.py setup --build cuda"
COMPILERS = ("gcc", "cc", "clang")
HEADERS = ("cuda_runtime_api.h", "cuda.h", "cublasLt.h", "nccl.h", "cudnn.h", "crt/host_defines.h")


@dataclass(frozen=True)
class CudaBuild:
    """An interpreter whose torch is a CUDA build, and the folder of its packages."""

    python: Path
    packages: Path
    release: str
    cuda: str

    @property
    def libraries(self) -> list[Path]:
        """The libraries of torch, which ask for NVIDIA's."""
        return sorted((self.packages / "torch" / "lib").glob("*.so"))

    @property
    def includes(self) -> list[Path]:
        """The folders of CUDA's headers. Those of its compiler, ``crt/``, come with Triton."""
        folders = [
            self.packages / "nvidia" / f"cu{CUDA}" / "include",
            self.packages / "triton" / "backends" / "nvidia" / "include",
            self.packages / "nvidia" / "nccl" / "include",
            self.packages / "nvidia" / "cudnn" / "include",
        ]
        for header in HEADERS:
            if not any((folder / header).is_file() for folder in folders):
                raise BookError(
                    "dry-headers",
                    f"CUDA's header {header} is not there",
                    f"the wheels that torch brings: {SETUP}",
                    file=folders[0],
                )
        return folders


def find(root: Path) -> CudaBuild:
    """The CUDA build of the running interpreter, or that of a checkout's ``.venv-cuda``."""
    running = [Path(folder) for folder in sys.path if (Path(folder) / "torch" / "version.py").is_file()]
    if running and (build := _build(Path(sys.executable), running[0])):
        return build
    environment = root / ".venv-cuda"
    for packages in environment.glob("lib/python3*/site-packages"):
        if build := _build(environment / "bin" / "python", packages):
            return build
    raise BookError(
        "dry-no-build", "no CUDA build of torch, neither here nor in .venv-cuda", SETUP, file=root
    )


def _build(python: Path, packages: Path) -> CudaBuild | None:
    """The build of torch in a folder of packages; None where there is none, or not one for CUDA."""
    version = packages / "torch" / "version.py"
    if not version.is_file():
        return None
    text = version.read_text("utf-8")
    cuda = re.search(r"^cuda: .*= '([^']+)'", text, re.MULTILINE)
    release = re.search(r"__version__ = '([^'+]+)", text)
    if cuda is None or release is None:
        return None
    if int(cuda[1].partition(".")[0]) != CUDA:
        raise BookError(
            "dry-version", f"torch {release[1]} is built for CUDA {cuda[1]}", f"CUDA {CUDA}", file=version
        )
    return CudaBuild(python, packages, release[1], cuda[1])


def compiler() -> str:
    """The C compiler."""
    if found := next(filter(None, map(shutil.which, COMPILERS)), None):
        return found
    raise BookError("dry-no-compiler", "no C compiler", "one of " + ", ".join(COMPILERS))
