"""A process that forks does with a program what a fresh one does, and outlives what the program does."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from inside_torch.run.fork_server import ForkServer, imported
from inside_torch.run.process import environment, run

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


@pytest.fixture(scope="module")
def server():
    with ForkServer() as made:
        yield made


def launch(start, file: Path, text: str, timeout: float = 600):
    file.write_text(text)
    return start(
        [sys.executable, "-m", LAUNCH, str(file)], cwd=file.parent, timeout=timeout, env=environment()
    )


def test_a_program_sees_what_it_sees_in_a_fresh_process(server, tmp_path):
    fresh = launch(run, tmp_path / "x.py", WHAT_IT_IS)
    assert fresh.status == 0 and fresh.output, fresh.errors
    for _ in range(2):  # what one program does is nothing to the next
        assert launch(server.run, tmp_path / "x.py", WHAT_IT_IS) == fresh


@pytest.mark.parametrize(
    ("text", "status"),
    [("import sys; sys.exit(3)", 3), ("1 / 0", 1), ("import os; os.kill(os.getpid(), 9)", -9)],
)
def test_how_a_program_ends_is_told(server, tmp_path, text, status):
    finished = launch(server.run, tmp_path / "x.py", text)
    assert finished.status == status
    assert ("ZeroDivisionError" in finished.errors) == (text == "1 / 0")


def test_what_a_program_does_at_its_end_is_done(server, tmp_path):
    text = "import atexit\natexit.register(print, 'last')\nprint('first', end=' ')\n"
    assert launch(server.run, tmp_path / "x.py", text).output == "first last\n"


def test_what_a_program_starts_ends_with_it_and_the_server_stays(server, tmp_path):
    sleeps = "import subprocess; print(subprocess.Popen(['sleep', '600']).pid, flush=True)\n"
    outlived = launch(server.run, tmp_path / "x.py", sleeps)
    stopped = launch(server.run, tmp_path / "x.py", sleeps + "import time; time.sleep(600)\n", timeout=10)
    assert (outlived.status, stopped.status) == (0, None)
    for finished in (outlived, stopped):
        state = Path(f"/proc/{finished.output.strip()}/stat")
        assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    assert launch(server.run, tmp_path / "x.py", "print(1)").output == "1\n"


def test_another_environment_begins_anew(server, tmp_path):
    (tmp_path / "x.py").write_text("import os; print(os.environ['SAID'])")
    for said in ("one", "two"):
        finished = server.run(
            [sys.executable, "-m", LAUNCH, str(tmp_path / "x.py")],
            cwd=tmp_path,
            timeout=600,
            env=environment(SAID=said),
        )
        assert finished.output == f"{said}\n"


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import torch", ()),
        ("import torch._dynamo as dynamo", ("torch._dynamo",)),
        ("from beside import x", ("torch._dynamo",)),
        ("def f(x): return torch.compile(x)", ("torch._dynamo",)),
        ("from torch._inductor import config", ("torch._dynamo", "torch._inductor.compile_fx")),
        ("import sys\nimport torch._dynamo\nprint('torch._inductor' in sys.modules)", ()),
        ("import os\nos.environ['TORCH_LOGS'] = 'bytecode'\nimport torch._dynamo", ()),
    ],
)
def test_what_a_file_imports_is_there_before_it_begins(tmp_path, text, modules):
    (tmp_path / "beside.py").write_text("import torch._dynamo\nx = 1\n")
    (tmp_path / "x.py").write_text(text)
    assert imported(tmp_path / "x.py") == modules


def test_a_file_that_imports_what_takes_long_sees_what_it_sees_in_a_fresh_process(server, tmp_path):
    text = "import torch._dynamo\n" + WHAT_IT_IS.replace('"pytest"', '"torch._inductor.scheduler", "pytest"')
    text = text.replace("sys.modules", "vars(sys)['modules']").replace("os.environ", "vars(os)['env' 'iron']")
    fresh = launch(run, tmp_path / "x.py", text)
    assert "['torch._dynamo']" in fresh.output, fresh.errors
    assert imported(tmp_path / "x.py") == ("torch._dynamo",)
    assert launch(server.run, tmp_path / "x.py", text) == fresh
    assert launch(server.run, tmp_path / "x.py", WHAT_IT_IS) == launch(run, tmp_path / "x.py", WHAT_IT_IS)
    assert launch(server.run, tmp_path / "x.py", text) == fresh
