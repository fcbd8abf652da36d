"""A newcomer follows the page *Contributing* word for word, in a fresh copy, and ends green."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from .tools import need, need_gdb

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "en" / "contributing" / "index.md"
#: What the contributor writes by hand: pages without printed output, programs without recordings.
WRITTEN = ROOT / "tests" / "fixtures" / "contribution"
#: The rules that speak of what is still to be written.
UNWRITTEN = {"unwritten", "threshold"}
MADE = {".out", ".json", ".lock", ".pyc"}


def commands() -> list[str]:
    """The lines after `$` of the section *A module from nothing*, in order."""
    section = PAGE.read_text(encoding="utf-8").split("{#walk}")[1].split("\n## ")[0]
    fences = re.findall(r"^```console[^\n]*\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return [line.removeprefix("$ ") for fence in fences for line in fence.splitlines()]


def contributors_machine(folder: Path) -> tuple[Path, dict[str, str]]:
    """A clone of the working tree, with a remote, and the environment that is switched on in it.

    Installed packages are those of the running tests; `inside-torch` and `pytest` work on the clone.
    """
    clone, remote, programs = folder / "clone", folder / "remote.git", folder / "bin"
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():
            (clone / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, clone / name)
    programs.mkdir()
    python = shlex.quote(sys.executable)
    for name, module in {"inside-torch": "inside_torch.cli", "pytest": "pytest"}.items():
        (programs / name).write_text(f'#!/bin/sh\nexec {python} -m {module} "$@"\n')
        (programs / name).chmod(0o755)
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PYTEST_"))},
        "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(clone / "scripts"),
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_PAGER": "cat",
        **{f"GIT_{who}_NAME": "Newcomer" for who in ("AUTHOR", "COMMITTER")},
        **{f"GIT_{who}_EMAIL": "newcomer@example.org" for who in ("AUTHOR", "COMMITTER")},
    }
    for line in (
        f"git init --quiet --bare {shlex.quote(str(remote))}",
        "git init --quiet --initial-branch main",
        f"git remote add origin {shlex.quote(str(remote))}",
        "git add .",
        "git commit --quiet --message 'The book so far'",
    ):
        subprocess.run(line, shell=True, cwd=clone, env=environment, check=True, timeout=600)
    return clone, environment


def write(clone: Path) -> None:
    """The writing itself: the fixture's pages in the place of their skeletons, and the snippets."""
    for page in WRITTEN.glob("docs/en/*/*.md"):
        begun, finished = (clone / page.relative_to(WRITTEN)).read_text(), page.read_text()
        for heading in re.findall(r"^#.*$", begun, re.MULTILINE):
            assert heading in finished.splitlines(), f"{page}: the skeleton has another {heading}"
    shutil.copytree(WRITTEN, clone, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))


def test_the_fixture_holds_nothing_that_a_command_makes():
    files = [path for path in WRITTEN.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    assert files and not [path for path in files if path.suffix in MADE]
    assert not [path for path in files if re.search(r"^#>", path.read_text(), re.MULTILINE)]


def test_a_module_from_nothing(tmp_path):
    need("git", shutil.which("git"))
    need_gdb()
    clone, environment = contributors_machine(tmp_path)
    said: dict[str, str] = {}
    for command in commands():
        run = subprocess.run(
            ["bash", "-c", command], cwd=clone, env=environment, capture_output=True, text=True, timeout=900
        )
        said[command] = run.stdout
        if not command.endswith("# fails"):
            assert run.returncode == 0, f"$ {command}\n{run.stdout}\n{run.stderr}"
            continue
        assert run.returncode == 1, f"$ {command}\n{run.stdout}\n{run.stderr}"
        assert set(re.findall(r": \[([\w-]+)\] ", run.stdout)) == UNWRITTEN, run.stdout
        write(clone)

    (check,) = [command for command in said if "check" in command and not command.endswith("# fails")]
    assert "no errors" in said[check]
    (tests,) = [command for command in said if command.startswith("pytest")]
    assert re.search(r"\b[1-9]\d* passed", said[tests]) and "failed" not in said[tests]
    article = (clone / "docs/en/module-12-random/seeds.md").read_text()
    assert "#> True" in article and "#> False" in article
    git = ["git", "-C", str(clone)]
    left = subprocess.run([*git, "status", "--porcelain"], capture_output=True, text=True, check=True)
    assert left.stdout == "", "the page's `git add` leaves these out"
    pushed = subprocess.run(
        [*git, "diff", "--name-only", "main", "origin/random-numbers"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    of_the_module = {name for name in pushed if "module-12-random" in name}
    assert {Path(name).name for name in of_the_module} >= {"seeds.md", "one_seed.out", "one_seed.path.json"}
    assert set(pushed) - of_the_module == {
        "docs/curriculum.yml",
        "docs/mkdocs.zh.yml",
        "mkdocs.yml",
        "pins.lock",
    }
