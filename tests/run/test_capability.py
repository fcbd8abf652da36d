"""The instruction set that is chosen is the one that probes and programs run with."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from inside_torch.errors import BookError
from inside_torch.run.capability import VARIABLE, choose, lacking
from inside_torch.run.process import environment

from ..tools import PLUGINS

PAGE = """---
title: A page
question: What is run?
requires: []
minutes: 1
hardware: cpu
---

# A page

```python
import torch

print(torch.backends.cpu.get_cpu_capability())
```

```output
module-00-x/a/x
```
"""
RUN = """
import sys
from pathlib import Path

from inside_torch.cli import app, run

run.ROOT = Path(sys.argv.pop(1))
app()
"""


def test_probes_and_programs_run_with_the_chosen_one(tmp_path):
    page, program = tmp_path / "docs/en/module-00-x/a.md", tmp_path / "snippets/module-00-x/a/x.py"
    for file, text in ((page, PAGE), (program, "import torch\nprint(torch.__config__.show())\n")):
        file.parent.mkdir(parents=True)
        file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(tmp_path), "record", "--cpu-capability", "default"],
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "#> DEFAULT" in page.read_text()
    assert "CPU capability usage: DEFAULT" in program.with_suffix(".out").read_text()


def test_one_that_is_none_names_the_nearest():
    with pytest.raises(BookError) as caught:
        choose("avx")
    assert caught.value.rule == "cpu-capability" and "avx2" in caught.value.nearest


def test_torch_reads_the_choice_once():
    assert torch.__version__
    with pytest.raises(BookError, match="torch is imported already"):
        choose("default")


def test_one_that_the_processor_lacks_is_refused():
    code = "from inside_torch.run.capability import choose; choose('avx512')"
    own = {name: value for name, value in environment().items() if name != VARIABLE}
    by_itself = torch.backends.cpu.get_cpu_capability()
    if VARIABLE in os.environ:  # which this process may have been told
        ask = "import torch; print(torch.backends.cpu.get_cpu_capability())"
        by_itself = subprocess.check_output([sys.executable, "-c", ask], env=own, text=True).strip()
    done = subprocess.run([sys.executable, "-c", code], env=own, capture_output=True, text=True)
    assert (done.returncode == 0) == (by_itself == "AVX512"), done.stderr
    assert done.returncode == 0 or "a processor without avx512_f" in done.stderr


def test_what_a_processor_lacks():
    assert lacking("default", {}) == []
    assert lacking("avx2", {"avx2": True, "fma3": True}) == []
    assert lacking("avx512", {"avx2": True, "fma3": True, "avx512_f": True, "avx512_vl": True}) == [
        "avx512_bw",
        "avx512_dq",
    ]


def test_the_suite_takes_the_choice_to_each_of_its_processes(tmp_path):
    (tmp_path / "test_it.py").write_text(
        "import torch\nfrom inside_torch.run.process import environment\n\n\n"
        "def test_it():\n"
        "    assert torch.backends.cpu.get_cpu_capability() == 'DEFAULT'\n"
        "    assert environment()['ATEN_CPU_CAPABILITY'] == 'default'\n"
    )
    options = ["-q", *PLUGINS, "-p", "no:cacheprovider", "-p", "tests.cpu_capability"]
    options += ["-c", "/dev/null", "-n", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--cpu-capability", "default", str(tmp_path)],
        env=environment(PYTHONPATH=str(Path(__file__).parents[2])),
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr
