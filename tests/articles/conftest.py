"""What is run once for all tests of the articles."""

from __future__ import annotations

import pytest
from inside_torch.run.exercises import attempt
from inside_torch.run.probes import Runner


@pytest.fixture(scope="session")
def runner() -> Runner:
    """Keeps the globals of each group of probes from one test to the next."""
    return Runner()


@pytest.fixture(scope="session")
def attempts(request):
    """Both runs of every exercise whose test was selected, from one child process."""
    selected = [item for item in request.session.items if "attempts" in item.fixturenames]
    return attempt([item.callspec.params["exercise"][0] for item in selected])
