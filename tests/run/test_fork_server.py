"""A process that forks does with a program what a fresh one does, and outlives what the program does."""

from __future__ import annotations

import subprocess
import sys
import threading
from multiprocessing import Pipe
from pathlib import Path

import pytest
from inside_torch.run.fork_server import Forked, ForkServer, imported
from inside_torch.run.process import PATIENT, Finished, environment, run

LAUNCH = "inside_torch.run.launch"
WHAT_IT_IS = """
import os, sys, threading
import torch

print(__name__, sys.argv, os.getcwd(), sorted(os.environ.items()))
print(sys.path, threading.active_count(), torch.initial_seed(), torch.rand(2))
print([name for name in ("torch._dynamo", "pytest") if name in sys.modules], os.getsid(0) == os.getpid())
print(sys.stdin.read() == "", file=sys.stderr)
torch.ones(2).requires_grad_().sum().backward()
print((torch.ones(300, 300) @ torch.ones(300, 300)).sum())
"""


def launch(start, file: Path, text: str, timeout: float = 600):
    file.write_text(text)
    return start(
        [sys.executable, "-m", LAUNCH, str(file)],
        cwd=file.parent,
        timeout=timeout,
        env=environment(**PATIENT),
    )


@pytest.fixture(scope="module")
def fresh(tmp_path_factory) -> tuple[Path, Finished]:
    """A file of that text, and what it prints in a fresh process."""
    file = tmp_path_factory.mktemp("fresh") / "x.py"
    return file, launch(run, file, WHAT_IT_IS)


def test_a_program_sees_what_it_sees_in_a_fresh_process(fork_server, fresh):
    file, finished = fresh
    assert finished.status == 0 and finished.output, finished.errors
    for _ in range(2):  # what one program does is nothing to the next
        assert launch(fork_server.run, file, WHAT_IT_IS) == finished


@pytest.mark.parametrize(
    ("text", "status"),
    [("import sys; sys.exit(3)", 3), ("1 / 0", 1), ("import os; os.kill(os.getpid(), 9)", -9)],
)
def test_how_a_program_ends_is_told(fork_server, tmp_path, text, status):
    finished = launch(fork_server.run, tmp_path / "x.py", text)
    assert finished.status == status
    assert ("ZeroDivisionError" in finished.errors) == (text == "1 / 0")


def test_what_a_program_does_at_its_end_is_done(fork_server, tmp_path):
    text = "import atexit\natexit.register(print, 'last')\nprint('first', end=' ')\n"
    assert launch(fork_server.run, tmp_path / "x.py", text).output == "first last\n"


LAST = """
#include <cstdio>
static std::FILE* file = std::fopen("said", "w");
static struct Last { ~Last() { std::fputs("last", file); } } last;
"""


def test_what_a_library_that_it_loads_does_at_the_end_is_done(fork_server, tmp_path):
    (tmp_path / "last.cpp").write_text(LAST)
    subprocess.run(["g++", "-shared", "-fPIC", "-o", "last.so", "last.cpp"], cwd=tmp_path, check=True)
    text = "import ctypes; ctypes.CDLL('./last.so')"
    assert launch(fork_server.run, tmp_path / "x.py", text).status == 0
    assert (tmp_path / "said").read_text() == "last"


def test_what_a_program_starts_ends_with_it_and_the_server_stays(fork_server, tmp_path):
    sleeps = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid, flush=True)\n"
    outlived = launch(fork_server.run, tmp_path / "x.py", sleeps)
    stopped = launch(
        fork_server.run, tmp_path / "x.py", sleeps + "import time; time.sleep(600)\n", timeout=10
    )
    assert (outlived.status, stopped.status) == (0, None)
    for finished in (outlived, stopped):
        state = Path(f"/proc/{finished.output.strip()}/stat")
        assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    assert launch(fork_server.run, tmp_path / "x.py", "print(1)").output == "1\n"


def test_another_environment_begins_anew(tmp_path):
    (tmp_path / "x.py").write_text("import os; print(os.environ['SAID'])")
    with ForkServer() as server:
        for said in ("one", "two"):
            finished = server.run(
                [sys.executable, "-m", LAUNCH, str(tmp_path / "x.py")],
                cwd=tmp_path,
                timeout=600,
                env=environment(SAID=said),
            )
            assert finished.output == f"{said}\n"


def test_a_status_that_comes_late_is_not_left_for_the_next_program(tmp_path):
    pipe, far = Pipe()
    gone = Forked(2**22, pipe, tmp_path, tmp_path)  # more than a process may be
    with pipe, far:
        told = threading.Timer(0.2, far.send_bytes, [b"-9"])
        told.start()
        assert gone.end() is None
        assert not pipe.poll(0.5)


FOUND_OUT = """
import torch
from torch._inductor import codecache, config, cpu_vec_isa

assert torch._inductor.compile_fx
print(codecache.torch_key().hex(), cpu_vec_isa.pick_vec_isa())
cpu_vec_isa.valid_vec_isa_list.cache_clear()
config.cpp.vec_isa_ok = False
print(cpu_vec_isa.pick_vec_isa())
"""


def test_what_inductor_found_out_is_what_it_would_find(fork_server, tmp_path):
    fresh = launch(run, tmp_path / "x.py", "import torch._inductor.compile_fx\n" + FOUND_OUT)
    assert fresh.status == 0 and "INVALID" in fresh.output, fresh.errors
    assert launch(fork_server.run, tmp_path / "x.py", FOUND_OUT) == fresh


def test_a_setting_made_first_counts_for_the_vector_instructions(fork_server, tmp_path):
    text = "from torch._inductor import config, cpu_vec_isa\nconfig.cpp.vec_isa_ok = False\n"
    told = launch(fork_server.run, tmp_path / "x.py", text + "print(cpu_vec_isa.pick_vec_isa())")
    assert told.output == "INVALID_VEC_ISA\n"


GUARDED = """
import torch
from torch._dynamo import guards

torch.compile(torch.sin, backend="eager")(torch.ones(2))
print(guards.profile_guard_manager.__name__)
"""


def test_guards_are_made_and_not_timed(fork_server, tmp_path):
    assert launch(run, tmp_path / "x.py", GUARDED).output == "profile_guard_manager\n"
    assert launch(fork_server.run, tmp_path / "x.py", GUARDED).output == "<lambda>\n"


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import torch", ()),
        ("import torch._dynamo as dynamo", ("torch._dynamo",)),
        ("from beside import x", ("torch._dynamo",)),
        ("def f(x): return torch.compile(x, backend='eager')", ("torch._dynamo",)),
        ("def f(x): return torch.compile(x)", ("torch._dynamo", "torch._inductor.compile_fx")),
        ("step = torch.optim.SGD([x], lr=0.1)", ("torch._dynamo",)),
        ("x = torch.ones(2, device='meta')", ("torch._dynamo",)),
        ("from torch._inductor import config", ("torch._dynamo", "torch._inductor.compile_fx")),
        ("import sys\nimport torch._dynamo\nprint('torch._inductor' in sys.modules)", ()),
        ("import os\nos.environ['TORCH_LOGS'] = 'bytecode'\nimport torch._dynamo", ()),
    ],
)
def test_what_a_file_imports_is_there_before_it_begins(tmp_path, text, modules):
    (tmp_path / "beside.py").write_text("import torch._dynamo\nx = 1\n")
    (tmp_path / "x.py").write_text(text)
    assert imported(tmp_path / "x.py") == modules


def test_of_a_page_its_probes_count(tmp_path):
    page, probe = tmp_path / "docs/en/a/x.md", "```python\nimport torch._dynamo\n```\n"
    page.parent.mkdir(parents=True)
    page.write_text(f"A file may look at `sys.modules`, or at `os.environ`.\n\n{probe}")
    assert imported(page) == ("torch._dynamo",)
    page.write_text(f"`import torch._dynamo`\n\n{probe.replace('torch._dynamo', 'torch')}")
    assert imported(page) == ()
    own = tmp_path / "snippets/a/x/own.py"
    own.parent.mkdir(parents=True)
    own.write_text("import torch._dynamo")
    page.write_text("```python\nfrom own import f\n```\n")
    assert imported(page) == ("torch._dynamo",)


def test_an_exercise_may_import_a_program_of_its_article(tmp_path):
    exercise = tmp_path / "article/exercises/one/test_exercise.py"
    exercise.parent.mkdir(parents=True)
    exercise.write_text("from own import f")
    (tmp_path / "article/own.py").write_text("import torch._dynamo")
    assert imported(exercise.parent) == ("torch._dynamo",)


def test_a_file_that_imports_what_takes_long_sees_what_it_sees_in_a_fresh_process(
    fork_server, fresh, tmp_path
):
    # Where a copy has more than torch, it has what runs pages and exercises as well.
    text = "import torch._dynamo\n" + WHAT_IT_IS.replace('"pytest"', '"torch._inductor.scheduler"')
    text = text.replace("sys.modules", "vars(sys)['modules']").replace("os.environ", "vars(os)['env' 'iron']")
    with_it = launch(run, tmp_path / "x.py", text)
    assert "['torch._dynamo']" in with_it.output, with_it.errors
    assert imported(tmp_path / "x.py") == ("torch._dynamo",)
    assert launch(fork_server.run, tmp_path / "x.py", text) == with_it
    file, without = fresh
    assert launch(fork_server.run, file, WHAT_IT_IS) == without
    assert launch(fork_server.run, tmp_path / "x.py", text) == with_it
