"""The benchmark's page is drawn in the built site, whose policy forbids scripts of others."""

from __future__ import annotations

import subprocess
import sys

from .small_book import ROOT

SCRIPT = """
import sys
from pathlib import Path
from inside_torch.bench.benchmark import drawing
print(drawing(Path(sys.argv[1]), 1).value)
"""


def test_the_diagrams_of_the_benchmark_are_drawn(site, browser):
    # Playwright begins once in a process.
    run = [sys.executable, "-c", SCRIPT, site.folder]
    done = subprocess.run(run, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    assert 0 < float(done.stdout) < 300
