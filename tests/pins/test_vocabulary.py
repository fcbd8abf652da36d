"""The names and files of a release."""

from __future__ import annotations

import pytest
from inside_torch.pins import vocabulary
from inside_torch.pins.vocabulary import Vocabulary


@pytest.fixture
def site(tmp_path):
    """A wheel of two files that are text and one that is not."""
    folder = tmp_path / "site" / "torch"
    folder.mkdir(parents=True)
    (folder / "graph.py").write_text("def run_backward(roots): pt_autograd_0 = 1\n")
    (folder / "engine.h").write_text("struct Engine { int ready_queue; };\n")
    (folder / "lib.so").write_bytes(b"hidden_name")
    return folder.parent


def test_names_and_files_are_those_of_the_text(site):
    known = Vocabulary.of(site)
    assert all(name in known for name in ("run_backward", "Engine", "ready_queue", "graph", "torch"))
    assert "hidden_name" not in known and "backward" not in known
    assert "pt_autograd_" in known and "pt_autograd" not in known, "the beginning of a name ends in _"
    assert known.holds_file("torch/graph.py") and known.holds_file("engine.h")
    assert not known.holds_file("ngine.h") and not known.holds_file("torch/lib.so")
    assert known.nearest("run_backwards") == "run_backward"


def test_it_is_made_once_and_anew_where_what_is_kept_is_broken(site, tmp_path, monkeypatch):
    made = []
    monkeypatch.setattr(vocabulary.platformdirs, "user_cache_path", lambda name: tmp_path / "cache")
    of = Vocabulary.of
    monkeypatch.setattr(Vocabulary, "of", classmethod(lambda cls, _: made.append(1) or of(site)))
    first = Vocabulary.here()
    assert Vocabulary.here() == first and len(made) == 1
    (kept,) = (tmp_path / "cache").iterdir()
    kept.write_text("half")
    assert Vocabulary.here() == first and len(made) == 2
