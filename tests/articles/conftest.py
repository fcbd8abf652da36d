"""What is run once for all tests of the articles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inside_torch.book.recording import SNIPPETS
from inside_torch.run.devices import starter
from inside_torch.run.exercises import Tried, attempt
from inside_torch.run.fork_server import ForkServer
from inside_torch.run.page_run import Ran, run_page
from inside_torch.run.probes import Probe

from .the_book import ROOT


@pytest.fixture(scope="session")
def ran(request: pytest.FixtureRequest, fork_server: ForkServer) -> Callable[[Probe, str], Ran]:
    """Gives what became of a probe on a device; those of a page that were selected share one child."""
    probes = [item for item in request.session.items if item.path.name == "test_every_probe.py"]
    cases = [item.callspec.params["case"] for item in probes]
    found: dict[tuple[Path, int, str], Ran] = {}

    def of(probe: Probe, device: str) -> Ran:
        if (probe.path, probe.line, device) not in found:
            beside = [
                case[0]
                for case in cases
                if isinstance(case, tuple) and (case[0].path, case[1]) == (probe.path, device)
            ]
            done = run_page(beside, device, starter(device, fork_server.run))
            for other, one in zip(beside, done, strict=True):
                found[other.path, other.line, device] = one
        return found[probe.path, probe.line, device]

    return of


@pytest.fixture(scope="session")
def tried(request: pytest.FixtureRequest, fork_server: ForkServer) -> Callable[[Path], dict[str, Tried]]:
    """Gives both runs of an exercise; those of an article that were selected share one child."""
    folders = [
        item.callspec.params["exercise"][0]
        for item in request.session.items
        if "tried" in getattr(item, "fixturenames", ())
    ]
    found: dict[Path, dict[str, Tried]] = {}

    def of(folder: Path) -> dict[str, Tried]:
        if folder not in found:
            # Below snippets/<module>/<article>, however deep.
            article = (ROOT / SNIPPETS).joinpath(*folder.relative_to(ROOT / SNIPPETS).parts[:2])
            beside = [other for other in folders if other.is_relative_to(article)]
            found.update(attempt(beside, fork_server.run))
        return found[folder]

    return of
