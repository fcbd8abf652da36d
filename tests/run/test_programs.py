"""Programs and measurements: how they are started, stopped, recorded."""

from __future__ import annotations

import os
import shlex
import time
from functools import partial
from pathlib import Path

import pytest
from inside_torch.book.recording import Program, Results
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.run import exercises, machine, programs
from inside_torch.run import measure as measuring
from inside_torch.run.measure import fresh, measure
from inside_torch.run.process import Finished, environment, run, unlock_extensions
from inside_torch.run.programs import ProgramRun, check, execute, skip_reason
from inside_torch.run.record import record_program

WHAT_IT_SEES = """
import sys
from pathlib import Path

import torch
from beside import name

print(__name__, Path(__file__).name, Path.cwd() == Path(__file__).parent, sys.argv[1:], name)
print(torch.initial_seed(), torch.get_default_device().type)
print(torch.overrides._get_current_function_mode_stack())
print("0x7f12ab34cd56", flush=True)


def measure():
    return {"ratio": 2.5, "count": 3}
"""


@pytest.fixture
def program(tmp_path):
    folder = tmp_path / "snippets" / "module-00-x" / "a"
    folder.mkdir(parents=True)
    (folder / "x.py").write_text(WHAT_IT_SEES)
    (folder / "beside.py").write_text("name = 'beside'\n")
    return Program.find(tmp_path, "module-00-x/a/x")


@pytest.fixture
def record(fork_server):
    """Records a program, forked from a process that has torch."""
    return partial(record_program, run=fork_server.run)


def test_a_program_runs_as_by_hand_and_is_recorded(program, record):
    told = ProgramRun(program, rules=("addresses",))
    with pytest.raises(BookError, match="no recorded output"):
        check(told, "")
    assert record_program(told).changed
    assert program.output.read_text() == "__main__ x.py True [] beside\n0 cpu\n[]\n0x…\n"
    assert record(told, check=True).error is None
    program.output.write_text("something else\n")
    error = record(told, check=True).error
    assert error.rule == "program-output" and "-something else" in str(error)


def test_an_output_that_is_the_same_by_value_is_left_as_it_is(program, record):
    program.source.write_text("print(0.1 + 0.2, 3)\n")
    program.output.write_text("0.3 3\n")
    assert record(ProgramRun(program), check=True).error is None
    assert not record(ProgramRun(program)).changed
    assert program.output.read_text() == "0.3 3\n"
    program.output.write_text("0.3 4\n")
    assert record(ProgramRun(program), check=True).error.rule == "program-output"


def test_the_lock_of_a_build_that_is_alive_stays(tmp_path):
    names = [tmp_path / name / "lock" for name in ("dead", "alive")]
    for lock in names:
        lock.parent.mkdir()
        lock.touch()
    with names[1].open():
        unlock_extensions({"TORCH_EXTENSIONS_DIR": str(tmp_path)})
        assert [lock.exists() for lock in names] == [False, True]
    unlock_extensions({"TORCH_EXTENSIONS_DIR": str(tmp_path)})
    assert not names[1].exists()


def test_what_a_program_starts_ends_with_it(tmp_path):
    marker = tmp_path / "pid"
    lock = tmp_path / "extensions" / "one" / "lock"  # as a build holds it
    # A shell, which is there at once, however busy the machine is.
    child = f"exec 3>{shlex.quote(str(lock))}; echo $$ >{shlex.quote(str(marker))}; exec sleep 600"
    parent = f"sh -c {shlex.quote(child)} & wait"
    lock.parent.mkdir(parents=True)
    env = environment(TORCH_EXTENSIONS_DIR=str(tmp_path / "extensions"))
    finished = run(["sh", "-c", parent], cwd=tmp_path, timeout=5, env=env)
    assert finished.status is None
    assert marker.exists() and not lock.exists()
    # SIGKILL has been sent: what is left of the child ends, or waits to be reaped. pytest-timeout ends this
    # where it does not.
    stat = Path("/proc", marker.read_text().strip(), "stat")
    while stat.exists() and stat.read_text().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.1)


def test_the_environment_of_a_run_is_not_the_readers(monkeypatch):
    monkeypatch.setenv("TORCH_LOGS", "+dynamo")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "avx2")
    monkeypatch.setenv("HOME_OF_THE_READER", "kept")
    env = environment(MORE="1")
    assert not {"TORCH_LOGS", "PYTHONPATH", "ATEN_CPU_CAPABILITY"} & env.keys()
    assert env["HOME_OF_THE_READER"] == "kept" and env["MORE"] == "1" and env["PYTHONHASHSEED"] == "0"
    assert Path(env["TORCHINDUCTOR_CACHE_DIR"]).is_absolute()


def test_idle_threads_sleep_but_where_something_is_measured(program, monkeypatch):
    policies = {}

    def seen(name):
        def run(command, *, env, **_):
            policies[name] = env.get("OMP_WAIT_POLICY")
            return Finished(1, "", "")

        return run

    for module in (programs, measuring, exercises):
        monkeypatch.setattr(module, "run", seen(module.__name__.rpartition(".")[2]))
    for call in (lambda: execute(ProgramRun(program), "cpu"), lambda: measure(program)):
        with pytest.raises(BookError):
            call()
    exercises.attempt([])
    assert policies == {"programs": "passive", "measure": None, "exercises": "passive"}
    assert os.environ["OMP_WAIT_POLICY"] == "passive", "and so in the tests' own process"


def test_a_measurement_names_its_program_and_goes_stale_with_it(program):
    results = measure(program)
    assert results.values == {"ratio": 2.5, "count": 3}
    assert results.program == "module-00-x/a/x" and results.build.startswith("2.13.0+")
    results.dump(program.results)
    fresh(program, Results.load(program.results))
    program.source.write_text(WHAT_IT_SEES + "\n# changed\n")
    with pytest.raises(BookError, match="has changed since"):
        fresh(program, Results.load(program.results))


def test_a_program_is_skipped_for_what_is_missing(program, monkeypatch):
    monkeypatch.setattr(machine.shutil, "which", lambda name: None)
    told = ProgramRun(program, needs=("compiler", "gdb"))
    assert skip_reason(told, "cpu") == "no C++ compiler; no gdb"
    assert record_program(told).skipped
    assert skip_reason(ProgramRun(program), "cpu") == ""


def test_the_compiler_of_cuda_is_that_of_the_packages(program, tmp_path, monkeypatch):
    """Where its wheel is not installed, what needs it is left out."""
    folder = tmp_path / "nvidia" / "cu13"
    monkeypatch.setattr(machine, "site_packages", lambda: tmp_path)
    told = ProgramRun(program, needs=("nvcc",))
    assert "no wheel of nvcc" in skip_reason(told, "cpu") and "setup --build cuda" in skip_reason(told, "cpu")
    assert record_program(told).skipped
    assert environment().get("CUDA_HOME") != str(folder)
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "nvcc").touch()
    assert skip_reason(told, "cpu") == "" and environment()["CUDA_HOME"] == str(folder)


def test_a_failing_program_shows_its_errors(program, fork_server):
    program.source.write_text("import sys\n\nsys.exit('because of this')\n")
    with pytest.raises(BookError, match="because of this"):
        execute(ProgramRun(program), "cpu", fork_server.run)


def test_no_book_no_programs(tmp_path):
    assert Book.load(tmp_path).pages == {}
