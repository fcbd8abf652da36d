"""What a missing program does to a test."""

from __future__ import annotations

import pytest

from .tools import need_gdb


def test_without_gdb_a_test_is_red_in_ci_and_skipped_elsewhere(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: None)
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="no gdb"):
        need_gdb()
    monkeypatch.delenv("CI")
    with pytest.raises(pytest.skip.Exception, match="no gdb"):
        need_gdb()


def test_with_gdb_it_is_named(monkeypatch):
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    assert need_gdb() == "/usr/bin/gdb"
