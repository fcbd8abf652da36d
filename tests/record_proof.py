"""A plugin of pytest: ``--record-proof`` keeps what the tests of the articles proved."""

from __future__ import annotations

import datetime
import re
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from inside_torch.book.fence_kinds import EVERY_DEVICE
from inside_torch.book.run_record import ArticleRun, Tally, article_digest, keep
from inside_torch.run.machine import machine, missing, torch_build

#: A test of an article: its kind, the article that it belongs to, the device it ran on.
CASE = re.compile(
    r"tests/articles/test_every_(?P<kind>probe|program|path|exercise|claim)\.py::test_\w+\["
    r"(?:zh/)?(?P<slug>module-[\w-]+/[\w-]+)[^\[]*(?:\[(?P<device>cpu|cuda|dry)\])?\]"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption("--record-proof", action="store_true", help="keep what the articles' tests proved")


class OutcomeRecorder:
    """Counts outcomes while the tests run, and writes them at the end, below ``root``."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.seen: dict[tuple[str, str], dict[str, Counter[str]]] = defaultdict(lambda: defaultdict(Counter))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Counts one outcome."""
        case = CASE.fullmatch(report.nodeid)
        # A test that is skipped or breaks before it begins has no call.
        if case is None or not (report.when == "call" or (report.when == "setup" and not report.passed)):
            return
        device = case["device"] or "cpu"
        self.seen[device, case["slug"]][f"{case['kind']}s"][report.outcome] += 1

    def pytest_sessionfinish(self) -> None:
        """Writes what was counted."""
        for device in EVERY_DEVICE:
            if missing(device):  # what broke there before it began was no run
                continue
            runs = {}
            for (where, slug), kinds in self.seen.items():
                tallies = {kind: Tally(**counts) for kind, counts in sorted(kinds.items())}
                # On a machine with no GPU every test of the device half is skipped: no run.
                if where == device and any(tally.passed or tally.failed for tally in tallies.values()):
                    runs[slug] = self.run(device, slug, tallies)
            if runs:
                keep(self.root, build_name(), device, runs)

    def run(self, device: str, slug: str, tallies: dict[str, Tally]) -> ArticleRun:
        """The record of one article."""
        import torch

        return ArticleRun(
            date=datetime.date.today().isoformat(),
            torch=torch.__version__,
            machine=machine(),
            device=torch.cuda.get_device_name() if device == "cuda" else device,
            digest=article_digest(self.root, slug),
            tallies=tallies,
        )


def build_name() -> str:
    """``cpu`` or ``cuda``: which build of torch runs."""
    return "cpu" if torch_build()[1] == "cpu" else "cuda"


def pytest_configure(config: pytest.Config) -> None:
    """Counts where it is asked for; where several processes run the tests, in the one that all report to."""
    if config.getoption("--record-proof") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(OutcomeRecorder(config.rootpath), "record-proof")
