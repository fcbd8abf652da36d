"""Probes, programs and paths that the book runs on the dry GPU."""

from __future__ import annotations

import pytest
import torch
from inside_torch.book.recording import PathRecording, Program
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.run.claim_counts import count_article
from inside_torch.run.devices import variables
from inside_torch.run.machine import missing
from inside_torch.run.programs import ProgramRun, skip_reason
from inside_torch.run.record import record_page, record_program
from inside_torch.run.trace import trace

from ..tools import need_gdb
from . import on_cuda

PAGE = """---
title: A page
question: What is run?
requires: []
minutes: 1
hardware: cpu
---

# A page

```python {group="one" devices="dry" why="it is the host's side"}
import torch

x = torch.ones(1000, device="cuda")
print(x.device, torch.cuda.memory_allocated())
#> ?
```

```python {group="one" devices="dry" why="it is the host's side"}
print((x + x).shape)
#> ?
```

```python {group="two" devices="dry" why="it is the host's side"}
import torch

print((torch.ones(2, device="cuda") + 1).sum().item())
#> ?
```

```python
print(torch := "on the processor")
#> ?
```
"""
PROGRAM = """
import torch


def path():
    x = torch.ones(1000, device="cuda", requires_grad=True)
    (x * 2).sum().backward()


if __name__ == "__main__":
    path()
    print(torch.cuda.max_memory_allocated())
"""
TRACE = """
device: dry
breakpoints:
  - torch::autograd::Engine::thread_main
  - __cudaLaunchKernel
"""
CLAIMS = """
import torch
from inside_torch.claims import counted


@counted(lambda: {"one": 1, "many": 513}, planted=0, build="dry")
def a_block_is_a_multiple(size):
    \"\"\"A tensor takes a multiple of 512 bytes, and not nothing.\"\"\"
    before = torch.cuda.memory_allocated()
    kept = torch.empty(size, dtype=torch.uint8, device="cuda")
    return (taken := torch.cuda.memory_allocated() - before) > 0 and taken % 512 == 0


@counted(lambda: ["a name"], planted="")
def a_name_is_there(name):
    \"\"\"A name is there.\"\"\"
    return bool(name)
"""
RUNS_ON = {"devices": ("dry", "cuda")}


@pytest.fixture
def page(tmp_path):
    file = tmp_path / "docs" / "en" / "module-00-x" / "a.md"
    file.parent.mkdir(parents=True)
    file.write_text(PAGE)
    return Book.load(tmp_path).pages[file.relative_to(tmp_path)]


@pytest.fixture
def program(tmp_path):
    folder = tmp_path / "snippets" / "module-00-x" / "a"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "x.py").write_text(PROGRAM)
    (folder / "x.trace.yml").write_text(TRACE)
    return Program.find(tmp_path, "module-00-x/a/x")


@pytest.fixture
def claims(tmp_path):
    file = tmp_path / "snippets" / "module-00-x" / "a" / "claims.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(CLAIMS)
    return lambda: {one.claim.id: one for one in count_article(tmp_path, "module-00-x/a")}


@pytest.mark.skipif(torch.version.cuda is not None, reason="what the CPU build says")
def test_the_cpu_build_says_that_it_cannot(page, program, claims):
    assert "CPU build" in missing("dry") == skip_reason(ProgramRun(program, **RUNS_ON), "dry")
    with pytest.raises(BookError, match="dry-no-build"):
        variables("dry")
    assert [bool(outcome.skipped) for outcome in record_page(page)] == [True, True, True, False]
    assert record_program(ProgramRun(program, **RUNS_ON)).skipped
    counted = claims()
    assert "CPU build" in counted["a-block-is-a-multiple"].skipped and counted["a-name-is-there"].count == 1


@on_cuda
def test_a_probe_tells_the_host_side_and_no_computed_value(page):
    first, second, computed, plain = record_page(page)
    text = page.file.read_text()
    assert first.changed and "#> cuda:0 4096" in text
    assert second.changed and "#> torch.Size([1000])" in text
    assert "the dry GPU computes nothing" in str(computed.error)
    assert plain.changed and "#> on the processor" in text


@on_cuda
def test_a_program_runs_on_it(program):
    outcome = record_program(ProgramRun(program, **RUNS_ON))
    assert outcome.changed, outcome.error
    assert int(program.output.read_text()) > 0
    program.source.write_text(PROGRAM + "    print((torch.ones(2, device='cuda') + 1).sum().item())\n")
    assert "the dry GPU computes nothing" in str(record_program(ProgramRun(program, **RUNS_ON)).error)


@on_cuda
def test_a_claim_is_counted_on_it_beside_one_of_the_processor(claims):
    first, again = claims(), claims()
    assert {
        name: (one.holds, one.count, one.error or one.skipped or None) for name, one in first.items()
    } == {
        "a-block-is-a-multiple": (2, 2, None),
        "a-name-is-there": (1, 1, None),
    }
    assert all(one.changes for one in first.values()) and not any(one.changes for one in again.values())


@on_cuda
@pytest.mark.timeout(900)
def test_a_path_leads_to_the_launch_on_the_thread_of_the_device(program, debugger):
    need_gdb()
    path = trace(program, debugger)
    assert path.device == "dry" and PathRecording.load(program.path) == path
    launches = [frame.thread for frame in path.frames if frame.symbol == "__cudaLaunchKernel"]
    assert {0} < set(launches), "one of the forward pass, and one of another thread"
    assert trace(program, debugger, check=True).frames == path.frames
