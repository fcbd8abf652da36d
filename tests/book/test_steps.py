"""The steps of a function whose text only a source tree has."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from inside_torch.book.language import digest_of
from inside_torch.book.rules.translation import same_fences
from inside_torch.book.steps import against_tree
from inside_torch.book.whole_book import Book
from inside_torch.pins.lock import PinLock
from inside_torch.pins.resolve import Evidence
from inside_torch.pins.tree import Tree
from inside_torch.pins.verify import lock_all
from inside_torch.pins.wheel import Wheel

ADDRESS = "src:torch/csrc/run.cpp::Engine::run"
CODE = """\
void Engine::run(int x) {
  first(x);
  twice(x);
  twice(x);
}
"""
PAGE = """\
---
title: Steps
---

```excerpt
{address}
pseudo:
  1 first(x)

1. at `{text}`: It begins.
```
"""


@pytest.fixture
def evidence(tmp_path) -> Evidence:
    """A checkout with one function, beside a wheel that has nothing."""
    folder = tmp_path / "pytorch"
    file = folder / "torch" / "csrc" / "run.cpp"
    file.parent.mkdir(parents=True)
    file.write_text(CODE)
    git = ["git", "-C", str(folder), "-c", "user.name=n", "-c", "user.email=e@x"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *command], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True)
    (tmp_path / "site").mkdir()
    return Evidence(Wheel(tmp_path / "site"), tree=Tree(folder, commit=head.stdout.strip()))


@pytest.fixture
def pins(tmp_path, evidence) -> PinLock:
    return lock_all(tmp_path, {ADDRESS: (Path("docs/en/a.md"), 5)}, evidence)[0]


def book(root: Path, text: str) -> Book:
    page = root / "docs" / "en" / "a.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text(PAGE.format(address=ADDRESS, text=text))
    return Book.load(root)


def test_a_text_of_one_line_is_where_the_tree_has_it(tmp_path, evidence, pins):
    assert against_tree(book(tmp_path, "first(x)"), pins, evidence) == []


@pytest.mark.parametrize(("text", "lines"), [("twice(x)", 2), ("third(x)", 0)])
def test_a_text_of_no_line_or_of_two_is_told_with_its_place(tmp_path, evidence, pins, text, lines):
    (error,) = against_tree(book(tmp_path, text), pins, evidence)
    assert (error.rule, error.line) == ("step-text", 10)
    assert f"`{text}` is on {lines} lines of Engine::run" in error.found


def test_without_a_tree_nothing_is_said(tmp_path, evidence, pins):
    bare = Evidence(Wheel(tmp_path / "site"))
    assert against_tree(book(tmp_path, "third(x)"), pins, bare) == []


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ("  1 first(x)    # 一句话\n    然后", 0),
        ("  1 second(x)\n    then", 1),
        ("  1 first(x)\n      then", 1),
        ("  1 first(x)    # virtual\n    then", 1),
    ],
    ids=["words", "callee", "column", "excuse"],
)
def test_a_translation_keeps_the_shape_of_pseudo_code_and_not_its_words(tmp_path, rows, told):
    english = book(tmp_path, "first(x)").pages[Path("docs/en/a.md")]
    text = english.file.read_text().replace("  1 first(x)", "  1 first(x)    # a remark\n    then")
    english.file.write_text(text)
    page = tmp_path / "docs" / "zh" / "a.md"
    page.parent.mkdir(parents=True)
    head = f"---\ntitle: 步骤\ntranslated_from: {digest_of(english.file)}\n---"
    page.write_text(
        text.replace("---\ntitle: Steps\n---", head).replace("  1 first(x)    # a remark\n    then", rows)
    )
    errors = list(same_fences(Book.load(tmp_path)))
    assert [(error.rule, error.file) for error in errors] == [
        ("translation-fences", Path("docs/zh/a.md"))
    ] * told
