"""Exercises: the test of each must fail on the file with the hole, because of it, pass on the solution, and
refuse each ``wrong_<name>.py``, a mistake that a reader would make.

All exercises of the book are tried in one child process, so that torch is imported once: that is what
``python -m inside_torch.run.exercises <report> <folder>…`` does. The reader's own file is never written to:
in the child, the name ``exercise`` is imported from one file or the other.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import json
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inside_torch.book.fence_kinds import ExerciseFence
from inside_torch.book.recording import HOLE, SNIPPETS, SOLUTION, TEST, WRONG
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.run.process import PATIENT, Run, environment, run

if TYPE_CHECKING:
    import pytest

TIMEOUT = 300  # seconds, for one test of an exercise; only what hangs takes as long
#: What a test may fail with on the hole; anything else is a fault of the exercise.
AWAITED = ("NotImplementedError", "AssertionError", "Failed")
#: What a wrong solution may not fail with: it would be no mistake about torch, but of the pen.
SLIPS = ("NotImplementedError", "NameError", "ImportError", "ModuleNotFoundError", "UnboundLocalError")

#: The one installed plugin that is used. To load them all, and to collect garbage after each run, takes
#: longer than most tests of an exercise.
PLUGINS = ["--disable-plugin-autoload", "-p", "pytest_timeout"]
PLUGINS += ["-p", "no:unraisableexception", "-p", "no:threadexception"]


@dataclass
class Tried:
    """One run of an exercise's test: outcomes by test, ``broken`` is what kept it from running at all."""

    passed: list[str] = field(default_factory=list)
    failed: dict[str, tuple[str, str]] = field(default_factory=dict)  # test: (exception's class, its message)
    skipped: list[str] = field(default_factory=list)
    broken: str = ""


def exercises(book: Book) -> dict[Path, tuple[Path, int]]:
    """The folders of all exercises, each with the page (below the root) and line that shows it first."""
    found: dict[Path, tuple[Path, int]] = {}
    for page in book.pages.values():
        for block in page.of(ExerciseFence):
            found.setdefault(book.root / SNIPPETS / block.subject, (page.path, block.line))
    return found


def attempt(folders: list[Path], start: Run | None = None) -> dict[Path, dict[str, Tried]]:
    """Try each exercise with its hole, its solution and each wrong one; ``{folder: {file name: Tried}}``.

    ``start`` runs the process, :func:`~inside_torch.run.process.run` unless it is given.
    """
    with tempfile.TemporaryDirectory(prefix="inside-torch-exercises-") as scratch:
        report = Path(scratch) / "report.jsonl"
        finished = (start or run)(
            [sys.executable, "-m", "inside_torch.run.exercises", str(report), *map(str, folders)],
            cwd=Path(scratch),
            timeout=TIMEOUT * max(1, sum(len(attempts(folder)) for folder in folders)),
            env=environment(**PATIENT),
        )
        lines = report.read_text().splitlines() if report.is_file() else []
    found: dict[Path, dict[str, Tried]] = {}
    for line in lines:
        folder, name, tried = json.loads(line)
        found.setdefault(Path(folder), {})[name] = Tried(**tried)
    ended = "the time limit" if finished.status is None else f"exit status {finished.status}"
    broken = f"no result: the run ended with {ended}\n{finished.errors[-2000:]}"
    return {
        folder: {name: found.get(folder, {}).get(name, Tried(broken=broken)) for name in attempts(folder)}
        for folder in folders
    }


def attempts(folder: Path) -> list[str]:
    """The files that the test of an exercise is run on, in that order."""
    return [HOLE, SOLUTION, *sorted(file.name for file in folder.glob(WRONG))]


def judge(folder: Path, tried: dict[str, Tried]) -> None:
    """Raise :class:`BookError` (rule ``exercise``) unless the hole fails as one, the solution passes, and
    each wrong solution, of which there is one at least, passes one test and fails another.
    """
    hole, solution = tried[HOLE], tried[SOLUTION]
    for name, one in tried.items():
        if one.broken:
            raise BookError("exercise", f"the test does not run on {name}: {one.broken}", file=folder / TEST)
        if one.skipped:
            raise BookError("exercise", f"skipped: {', '.join(one.skipped)}", "a test", file=folder / TEST)
    if not hole.failed:
        raise BookError(
            "exercise", "the test passes with nothing filled in", "a test that fails", file=folder / HOLE
        )
    for test, (name, message) in hole.failed.items():
        if name not in AWAITED:
            raise BookError(
                "exercise",
                f"on the hole, {test} fails with {name}: {message}",
                " or ".join(AWAITED[:2]),
                file=folder / HOLE,
            )
    for test, (name, message) in solution.failed.items():
        raise BookError(
            "exercise",
            f"with the solution, {test} fails with {name}: {message}",
            "a solution that passes",
            file=folder / SOLUTION,
        )
    if not solution.passed:
        raise BookError("exercise", "no test ran", "a test", file=folder / TEST)
    wrong = {name: one for name, one in tried.items() if name not in (HOLE, SOLUTION)}
    if not wrong:
        raise BookError(
            "exercise", "no wrong solution", f"a {WRONG} that the test refuses", file=folder / TEST
        )
    for name, one in wrong.items():
        if not one.failed:
            raise BookError(
                "exercise", f"the test accepts {name}", "a test that refuses it", file=folder / TEST
            )
        if not one.passed:
            raise BookError(
                "exercise", "each test fails on it", "a solution with one mistake", file=folder / name
            )
        for test, (exception, message) in one.failed.items():
            if exception in SLIPS:
                raise BookError(
                    "exercise",
                    f"{test} fails with {exception}: {message}",
                    "a mistake in what is asked for, not in the spelling",
                    file=folder / name,
                )


class _Exercise(importlib.abc.MetaPathFinder):
    """Imports ``exercise`` from a file of the choice, and nothing else."""

    def __init__(self, file: Path) -> None:
        self.file = file

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        return importlib.util.spec_from_file_location(name, self.file) if name == "exercise" else None


class _Outcomes:
    """A pytest plugin that keeps how each test ended."""

    def __init__(self) -> None:
        self.tried = Tried()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.rpartition("::")[2]
        if report.skipped or hasattr(report, "wasxfail"):
            self.tried.skipped.append(name)
        elif report.failed:
            self.tried.failed[name] = report.raised
        elif report.when == "call":
            self.tried.passed.append(name)

    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> pytest.TestReport:
        from _pytest.runner import pytest_runtest_makereport as make

        report: Any = make(item, call)
        if call.excinfo is not None:
            report.raised = (call.excinfo.typename, str(call.excinfo.value)[:500])
        return report

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.tried.broken = str(report.longrepr)[-1500:]


def _try(folder: Path, name: str) -> Tried:
    """Run the test of one exercise in this process, with ``exercise`` imported from the file ``name``."""
    import pytest

    from inside_torch.run.state import clean

    finder, outcomes = _Exercise(folder / name), _Outcomes()
    before = set(sys.modules)
    sys.meta_path.insert(0, finder)
    try:
        with clean():
            options = ["-q", "-c", "/dev/null", "--noconftest", "-p", "no:cacheprovider", *PLUGINS]
            limit = ["--timeout", str(TIMEOUT)]
            pytest.main([*options, *limit, "--rootdir", str(folder), str(folder / TEST)], plugins=[outcomes])
    finally:
        sys.meta_path.remove(finder)
        for module in set(sys.modules) - before:
            if str(getattr(sys.modules[module], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[module]
    return outcomes.tried


def main() -> None:
    """In a child process: try the folders of the command line, and write a JSON line for each try."""
    report, *folders = map(Path, sys.argv[1:])
    sys.dont_write_bytecode = True
    with report.open("w") as stream:
        for folder in folders:
            for name in attempts(folder):
                print(json.dumps([str(folder), name, asdict(_try(folder, name))]), file=stream, flush=True)


if __name__ == "__main__":
    main()
