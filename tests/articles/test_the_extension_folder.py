"""The folder of add-an-operator does what its page says: copy it, install it, run its tests."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from inside_torch.run.machine import missing
from inside_torch.run.process import environment

from .the_book import ROOT

FOLDER = ROOT / "snippets" / "module-05-dispatch" / "add-an-operator" / "smooth_abs"

UPPER_KEYS = ["Meta", "Autograd", "AutocastCPU", "AutocastCUDA", "FuncTorchBatched"]
KEYS = """
import smooth_abs
import torch


def test_the_keys_with_a_kernel_are_those_of_the_page():
    found = [
        key
        for key in ["CPU", "CUDA", *{upper}]
        if torch._C._dispatch_has_kernel_for_dispatch_key("book::smooth_abs", key)
    ]
    assert found == {keys}
"""


@pytest.mark.timeout(900)
def test_a_copy_installs_and_passes_its_tests(tmp_path: Path):
    if reason := missing("compiler"):
        pytest.skip(reason)
    import torch

    copy, unused = tmp_path / "mine", tmp_path / "extensions"
    shutil.copytree(
        FOLDER, copy, ignore=shutil.ignore_patterns("build", "*.so", "*.egg-info", "__pycache__", "main.*")
    )
    # Python's own flags may ask for debug information, which takes longer than the code.
    more = {"CFLAGS": "-O0 -g0", "TORCH_EXTENSIONS_DIR": str(unused)}
    if not torch.cuda.is_available():  # no GPU to ask for its architecture
        more["TORCH_CUDA_ARCH_LIST"] = "8.0"
    env = environment() | more

    def run(*command: str) -> str:
        done = subprocess.run(command, cwd=copy, env=env, capture_output=True, text=True)
        assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    python = sys.executable
    # Into a folder of its own, so that the environment of the book does not learn of the copy.
    run(
        python,
        "-m",
        "pip",
        "install",
        "--no-build-isolation",
        "--no-deps",
        "--prefix",
        str(tmp_path),
        "-e",
        ".",
    )
    assert list((copy / "smooth_abs").glob("_C*.so")), "the extension lies in the package"

    from torch.utils.cpp_extension import CUDA_HOME

    with_cuda = torch.version.cuda is not None and (CUDA_HOME or env.get("CUDA_HOME")) is not None
    # Beside the folder's own tests, so that torch is imported once.
    (copy / "test_keys.py").write_text(
        KEYS.format(upper=UPPER_KEYS, keys=["CPU", *["CUDA"] * with_cuda, *UPPER_KEYS])
    )
    run(python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_smooth_abs.py", "test_keys.py")
    assert not unused.exists(), "the installed library was used, nothing was compiled on import"
