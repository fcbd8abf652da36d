"""No checkout of anybody takes part in the tests of the pins."""

from __future__ import annotations

import pytest
from inside_torch.pins.tree import VARIABLE


@pytest.fixture(autouse=True)
def no_tree(monkeypatch, tmp_path):
    """No checkout of the person who runs the tests takes part in them."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr("inside_torch.pins.tree.fetched_folder", lambda: tmp_path / "no-tree")
