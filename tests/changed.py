"""A plugin: ``--changed`` runs the groups of tests that read something that is not as it was when they were
last green. What a whole run proved is kept in ``.build/suite-<build>.json``.
"""

from __future__ import annotations

import json
import platform
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from inside_torch.files import write_whole
from inside_torch.run.machine import machine, torch_build
from inside_torch.site.browser import find_browser

from .reads import Tree
from .times import Clock, keep
from .workers import group

if TYPE_CHECKING:
    from xdist.workermanage import WorkerController


#: What can end otherwise on another build of torch.
OF_A_BUILD = ("tests/articles/", "tests/dry/")
#: How many groups are named that took the most.
LONGEST = 60


def pytest_addoption(parser: pytest.Parser) -> None:
    """The suite's own options."""
    options = parser.getgroup("the book")
    options.addoption(
        "--changed", action="store_true", help="run what a change since the last green run can touch"
    )
    options.addoption(
        "--articles",
        action="store_true",
        help="only what runs the articles, and the dry GPU: no other machinery, no browser",
    )
    options.addoption(
        "--record-times", action="store_true", help="keep the times of the groups, and their table in Figures"
    )


def surroundings(config: pytest.Config) -> str:
    """What a run's outcome hangs on beside the repository: torch, Python, the tools, the machine."""
    capability = config.getoption("--cpu-capability")
    tools = [shutil.which(name) for name in ("gdb", "c++", "g++", "clang++", "git", "nvidia-smi")]
    return repr((capability, torch_build(), platform.python_version(), machine(), tools, find_browser()))


class Record:
    """The groups that were green, each with the digest of what it read then."""

    def __init__(self, file: Path, tree: Tree, around: str) -> None:
        self.file, self.tree, self.around = file, tree, around
        self.green: dict[str, str] = json.loads(file.read_text()) if file.is_file() else {}

    def unchanged(self) -> list[str]:
        """The groups whose green run still holds."""
        return [name for name, digest in self.green.items() if digest == self.tree.digest(name, self.around)]

    def update(self, passed: set[str], failed: set[str]) -> None:
        """Keep what was green now; what failed is run again."""
        for name in failed:
            self.green.pop(name, None)
        self.green |= {name: self.tree.digest(name, self.around) for name in passed}
        self.file.parent.mkdir(exist_ok=True)
        write_whole(self.file, json.dumps(dict(sorted(self.green.items())), indent=1) + "\n")


class Selection:
    """In each process that runs tests: leaves out what need not run, and tells how many tests a group has."""

    def __init__(self, config: pytest.Config, unchanged: list[str], clock: Clock) -> None:
        self.config, self.unchanged, self.clock = config, set(unchanged), clock
        self.tests: Counter[str] = Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Leave out whole groups."""
        self.tests.update(group(item.nodeid) for item in items)
        out = [item for item in items if not self.wanted(item.nodeid)]
        if out:
            items[:] = [item for item in items if self.wanted(item.nodeid)]
            self.config.hook.pytest_deselected(items=out)

    def wanted(self, test: str) -> bool:
        """Whether a test is asked for."""
        if self.config.option.articles and not test.startswith(OF_A_BUILD):
            return False
        return group(test) not in self.unchanged

    def pytest_sessionfinish(self) -> None:
        """Tell the process that divides the work."""
        if hasattr(self.config, "workeroutput"):
            self.config.workeroutput["suite"] = {
                "tests": dict(self.tests),
                "seconds": dict(self.clock.seconds),
            }


class Judge:
    """In the process that all report to: which groups were run whole and are green."""

    def __init__(self, config: pytest.Config, record: Record, unchanged: list[str]) -> None:
        self.config, self.record, self.unchanged = config, record, unchanged
        self.begun = time.monotonic()
        self.tests: dict[str, int] = {}
        self.seconds: Counter[str] = Counter()
        self.processes = 0
        self.ran: dict[str, set[str]] = {}
        self.failed: set[str] = set()

    def pytest_configure_node(self, node: WorkerController) -> None:
        """Every process leaves out the same."""
        node.workerinput["unchanged"] = self.unchanged

    def pytest_testnodedown(self, node: WorkerController) -> None:
        """A process ended and has told what it knows."""
        self.hear(getattr(node, "workeroutput", {}).get("suite"))

    def hear(self, told: dict | None) -> None:
        """Add what a process counted."""
        if told:
            self.processes += 1
            self.tests |= told["tests"]
            self.seconds.update(told["seconds"])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """One step of a test ended."""
        name = group(report.nodeid)
        if report.failed:
            self.failed.add(name)
        if report.when == "teardown":
            self.ran.setdefault(name, set()).add(report.nodeid)

    def whole(self) -> bool:
        """Whether all tests there are were collected, wherever they were deselected afterwards."""
        narrowed = any(self.config.getoption(name, None) for name in ("ignore", "ignore_glob", "lf"))
        return self.config.args_source == pytest.Config.ArgsSource.TESTPATHS and not narrowed

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Keep what was proven."""
        if selection := self.config.pluginmanager.get_plugin("suite-selection"):
            self.hear({"tests": selection.tests, "seconds": selection.clock.seconds})
        passed = {
            name
            for name, ran in self.ran.items()
            if name not in self.failed and len(ran) == self.tests.get(name)
        }
        self.record.update(passed if self.whole() else set(), self.failed)
        if self.config.option.changed and session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        if self.config.option.record_times and self.whole() and not self.failed:
            wall = time.monotonic() - self.begun
            keep(self.config.rootpath, dict(self.seconds), self.tests, wall, self.processes)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say where the time went, and what was left out."""
        if self.config.option.record_times:
            kept = self.whole() and not self.failed
            terminalreporter.section(f"processor time{'' if kept else ' (not kept: no whole and green run)'}")
            for name, seconds in self.seconds.most_common(LONGEST):
                terminalreporter.write_line(f"{seconds:8.1f} s  {name}")
        if self.config.option.changed:
            ran = len(self.ran)
            terminalreporter.write_line(
                f"{ran} groups of tests were run; {len(self.unchanged)} are as they were when they were green"
            )


def pytest_configure(config: pytest.Config) -> None:
    """Registers what this process needs: one that runs tests, one that others report to, or both in one."""
    manager = config.pluginmanager
    if hasattr(config, "workerinput"):
        unchanged = config.workerinput["unchanged"]
    else:
        root = config.rootpath
        file = root / ".build" / f"suite-{torch_build()[1]}.json"
        record = Record(file, Tree.of(root), surroundings(config))
        unchanged = record.unchanged() if config.option.changed else []
        manager.register(Judge(config, record, unchanged), "suite-judge")
    if hasattr(config, "workerinput") or not config.option.numprocesses:
        clock = Clock()
        manager.register(clock, "suite-clock")
        manager.register(Selection(config, unchanged, clock), "suite-selection")
