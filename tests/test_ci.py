""".ci/run proves both builds: which commands it gives, each stood in for by a program that notes it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SETUP, TEST = "python3 scripts/dev.py setup --build", "python3 scripts/dev.py test --build"
INDEX = "--torch-index https://index.example"


@pytest.fixture
def commands(tmp_path):
    """Runs a copy of the script; gives its exit status and the commands that it gave."""
    noted = tmp_path / "noted"
    (tmp_path / ".ci").mkdir()
    (tmp_path / "bin").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    run, confined = tmp_path / ".ci" / "run", tmp_path / ".ci" / "confined"
    run.write_text((ROOT / ".ci" / "run").read_text())
    confined.write_text(f'echo "confined $*" >> {noted}\n')
    note = f'#!/bin/sh\ncase "$*" in *ensurepip*) exit 0;; esac\necho "$(basename $0) $*" >> {noted}\n'
    full = 'case "$*" in *$FULL*) echo "no room" >&2; exit 1;; esac\n'
    for name in ("bin/python3", ".venv/bin/python"):
        (tmp_path / name).write_text(note + full)
    for name in ("gdb", "g++", "chromium-headless-shell", "fc-list"):
        (tmp_path / "bin" / name).write_text("#!/bin/sh\necho a font\n")
    for file in [*tmp_path.glob("bin/*"), tmp_path / ".venv/bin/python", confined]:
        file.chmod(0o755)

    def given(*arguments: str, **environment: str) -> tuple[int, list[str]]:
        noted.write_text("")
        path = f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}"
        environment = {"PATH": path, "FULL": "nothing is full", **environment}
        done = subprocess.run(["bash", run, *arguments], env=environment, capture_output=True, text=True)
        return done.returncode, noted.read_text().splitlines()

    return given


def test_the_whole_suite_on_one_build_and_the_articles_on_the_other(commands):
    one = [f"{SETUP} cpu {INDEX}", f"{TEST} cpu {INDEX}"]
    other = [f"{SETUP} cuda", f"{TEST} cuda --articles"]
    assert commands(*INDEX.split()) == (0, one + other)
    assert commands(*INDEX.split(), BUILDS="cpu") == (0, one)


def test_one_build_alone(commands):
    assert commands(BUILDS="cuda") == (0, [f"{SETUP} cuda", f"{TEST} cuda --articles"])
    assert commands(BUILDS="rocm") == (2, [])


def test_a_disk_that_is_too_small_ends_it_before_a_test(commands):
    assert commands(BUILDS="cuda", FULL="setup --build cuda") == (1, [f"{SETUP} cuda"])


def test_what_somebody_has_sent_is_run_confined(commands):
    status, given = commands(CONFINED="1", BUILDS="cpu cuda")
    assert status == 0
    assert [line for line in given if " test " in line] == [
        f"confined {TEST} cpu",
        f"confined {TEST} cuda --articles",
    ]
