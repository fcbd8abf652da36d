"""The folder of the chip `abacus` is what a reader copies: its own tests pass in a copy elsewhere."""

from __future__ import annotations

import re
import shutil
import sys

from inside_torch.run.process import environment, run

from .the_book import ROOT

CHIP = ROOT / "snippets/module-05-dispatch/a-chip-in-cpp/abacus"


def test_the_copied_chip(tmp_path):
    copied = shutil.copytree(CHIP, tmp_path / "abacus", ignore=shutil.ignore_patterns("*.out", "__pycache__"))
    finished = run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(copied)],
        cwd=copied,
        timeout=900,
        env=environment(TORCH_EXTENSIONS_DIR=str(tmp_path / "build")),
    )
    assert finished.status == 0, finished.output + finished.errors
    assert "passed" in finished.output


def test_the_readme_names_each_place_where_the_host_works_on_the_memory_of_the_chip():
    code = "".join((CHIP / name).read_text(encoding="utf-8") for name in ("device.cpp", "operators.cpp"))
    opened = [
        re.findall(r"^ *[\w:&*]+ (\w+)\([^;]*?\{$", before, re.MULTILINE)[-1]
        for before in code.split("const chip::Command running;")[:-1]
    ]
    assert opened == ["copy_data", "copy_from", "add_out"]
    readme = (CHIP / "README.md").read_text(encoding="utf-8")
    assert all(f"`{name}`" in readme for name in ("copy_data", "copy_from", "add_floats"))
