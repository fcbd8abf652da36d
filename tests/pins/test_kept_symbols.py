"""A file is parsed once for all processes, and again where anything that decides has changed."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.pins import kept_symbols
from inside_torch.pins.kept_symbols import symbols_of
from inside_torch.pins.wheel import SourceFile

FILES = {
    "torch/graph.py": "class Node:\n    def run(self):\n        pass\n",
    "torch/engine.h": "namespace torch {\nstruct Engine { int run(int a, float b); };\n}\n",
    "torchgen/native.yaml": "- func: add(Tensor a) -> Tensor\n- func: mul(Tensor a) -> Tensor\n",
}


def file_of(path: str, more: str = "") -> SourceFile:
    """The file of that path, with more at its end."""
    return SourceFile(path, tuple((FILES.get(path, "") + more).splitlines()))


@pytest.fixture
def parsed(tmp_path, monkeypatch):
    """What was parsed, by path; the cache is a folder of the test's own."""
    monkeypatch.setattr(kept_symbols.platformdirs, "user_cache_path", lambda name: tmp_path / "cache")
    paths, parse = [], kept_symbols._parse
    monkeypatch.setattr(kept_symbols, "_parse", lambda source: paths.append(source.path) or parse(source))
    return paths


@pytest.mark.parametrize("path", FILES)
def test_what_is_kept_is_what_was_parsed(path, parsed):
    source = file_of(path)
    first = symbols_of(source)
    assert first and symbols_of(source) == first and parsed == [path]


def test_another_text_and_another_parser_are_parsed_anew(parsed, monkeypatch):
    source = file_of("torch/graph.py")
    assert len(symbols_of(source)) == 2
    more = file_of(source.path, "    def stop(self):\n        pass\n")
    assert len(symbols_of(more)) == 3 and len(parsed) == 2
    monkeypatch.setattr(kept_symbols, "_parsers", lambda: "another")
    assert len(symbols_of(source)) == 2 and len(parsed) == 3


@pytest.mark.parametrize("broken", ["half [", "{}", "[1]", '[["name", 1]]'])
def test_what_is_broken_is_parsed_anew(broken, parsed, tmp_path):
    source = file_of("torch/engine.h")
    first = symbols_of(source)
    (kept,) = (tmp_path / "cache" / "symbols").iterdir()
    kept.write_text(broken)
    assert symbols_of(source) == first and len(parsed) == 2
    assert symbols_of(source) == first and len(parsed) == 2


def test_where_nothing_can_be_kept_it_is_parsed_each_time(parsed, tmp_path):
    (tmp_path / "cache").write_text("a file where the folder would be")
    source = file_of("torch/graph.py")
    assert symbols_of(source) == symbols_of(source) and len(parsed) == 2


def test_a_file_that_cannot_be_parsed_is_no_entry(parsed, tmp_path):
    with pytest.raises(BookError, match=r"torch/bad\.py"):
        symbols_of(file_of("torch/bad.py", "def (:\n"))
    assert not (tmp_path / "cache").exists()
