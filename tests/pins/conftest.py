"""The installed torch, read once for all tests of the pins."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.pins.line_table import rows
from inside_torch.pins.resolve import Evidence
from inside_torch.pins.tree import VARIABLE
from inside_torch.pins.wheel import Wheel
from inside_torch.pins.witness import Libraries


@pytest.fixture(scope="session")
def wheel() -> Wheel:
    return Wheel.find()


@pytest.fixture(scope="session")
def libraries(wheel) -> Libraries:
    """The wheel's libraries; a platform whose libraries cannot be searched says so and skips."""
    libraries = Libraries(wheel.libraries)
    try:
        libraries.search(rows())  # one search for what most tests ask
    except BookError as error:
        if error.rule != "witness-platform":
            raise
        pytest.skip(str(error))
    return libraries


@pytest.fixture(scope="session")
def sources(wheel) -> Evidence:
    """The wheel alone: text, no tree, no witnesses."""
    return Evidence(wheel)


@pytest.fixture(scope="session")
def searched(wheel, libraries) -> Evidence:
    """The wheel and its libraries."""
    return Evidence(wheel, None, libraries)


@pytest.fixture(autouse=True)
def no_tree(monkeypatch, tmp_path):
    """No checkout of the person who runs the tests takes part in them."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("inside_torch.pins.tree.fetched_folder", lambda: tmp_path / "no-tree")
