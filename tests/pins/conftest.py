"""The installed torch, read once for all tests of the pins."""

from __future__ import annotations

import pytest
from inside_torch.pins.resolve import Evidence
from inside_torch.pins.tree import VARIABLE


@pytest.fixture(scope="session")
def sources(wheel) -> Evidence:
    """The wheel alone: text, no tree, no witnesses."""
    return Evidence(wheel)


@pytest.fixture(autouse=True)
def no_tree(monkeypatch, tmp_path):
    """No checkout of the person who runs the tests takes part in them."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("inside_torch.pins.tree.fetched_folder", lambda: tmp_path / "no-tree")
