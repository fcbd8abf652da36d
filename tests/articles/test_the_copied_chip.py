"""The folder of the chip `abacus` is what a reader copies: its own tests pass in a copy elsewhere."""

from __future__ import annotations

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
