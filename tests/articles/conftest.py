"""What is run once for all tests of the articles."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from inside_torch.book.recording import SNIPPETS
from inside_torch.run.exercises import Tried, attempt
from inside_torch.run.fork_server import ForkServer
from inside_torch.run.probes import Runner

from .the_book import ROOT


@pytest.fixture(scope="session")
def runner() -> Runner:
    """Keeps the globals of each group of probes from one test to the next."""
    return Runner()


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
