"""The folder that the Chinese site is built from, and the mark of a translation."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from inside_torch.book.check import check
from inside_torch.book.language import digest_of, mark_translated, split_front
from inside_torch.errors import BookError
from inside_torch.site.staging import stage_chinese

GOOD = Path(__file__).parent.parent / "fixtures" / "book"
CARRY = "module-01-sums/carry.md"


@pytest.fixture
def book(tmp_path):
    """A copy of the good book."""
    return Path(shutil.copytree(GOOD, tmp_path / "book"))


def staged(book: Path, place: str) -> tuple[dict, str]:
    """Front matter and body of a staged page."""
    front, body = split_front((stage_chinese(book, book / "staged") / place).read_text(encoding="utf-8"))
    return yaml.safe_load(front), body


def test_a_translation_is_staged_with_what_its_original_says(book):
    front, body = staged(book, CARRY)
    assert front["title"] == "进位" and front["requires"] == ["module-01-sums/add"] and front["minutes"] == 5
    assert front["source"] == f"zh/{CARRY}" and "translated_from" not in front
    assert body == split_front((book / "docs/zh" / CARRY).read_text(encoding="utf-8"))[1]


def test_a_missing_page_shows_the_english_with_a_note_below_its_title(book):
    front, body = staged(book, "module-01-sums/add.md")
    assert front["source"] == "en/module-01-sums/add.md" and front["title"] == "Adding"
    lines = [line for line in body.split("\n") if line.strip()]
    assert lines[0] == "# Adding {#adding}" and lines[1] == '!!! note "本页尚无中文版"'
    assert lines[2].endswith("已译成中文的文章：[进位](../module-01-sums/carry.md)。")
    original = split_front((book / "docs/en/module-01-sums/add.md").read_text(encoding="utf-8"))[1]
    assert set(original.split("\n")) <= set(body.split("\n"))
    assert (book / "staged/module-01-sums/heaps.svg").is_file()


def test_a_page_that_is_behind_says_so_and_leads_to_the_english_one(book):
    original = book / "docs/en" / CARRY
    original.write_text(original.read_text() + "\nMore.\n")
    body = staged(book, CARRY)[1]
    assert (
        '!!! warning "本页译文落后于英文原文"' in body and 'href="../../../en/module-01-sums/carry/"' in body
    )


def test_only_what_changed_is_touched_and_what_is_gone_is_removed(book):
    out = stage_chinese(book, book / "staged")
    before = {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}
    (book / "docs/en/index.md").write_text("# Another\n")
    (book / "docs/en/module-01-sums/add.md").unlink()
    stage_chinese(book, out)
    after = {file: file.stat().st_mtime_ns for file in out.rglob("*") if file.is_file()}
    assert set(before) - set(after) == {out / "module-01-sums/add.md"}
    assert [file for file in after if after[file] != before[file]] == [out / "index.md"]


def test_marking_a_translation_brings_it_up_to_date(book):
    original, translation = book / "docs/en" / CARRY, book / "docs/zh" / CARRY
    original.write_text(original.read_text().replace("one column to the left", "one column leftwards"))
    translation.write_text(translation.read_text().replace("---\n", "---\nbehind: true\n", 1))
    assert [error.rule for error in check(book)] == []
    assert mark_translated(book, translation) == digest_of(original)
    assert "behind" not in translation.read_text() and [error.rule for error in check(book)] == []


@pytest.mark.parametrize("place", ["docs/en/index.md", "docs/zh/none.md", "mkdocs.yml"])
def test_only_a_translation_can_be_marked(book, place):
    before = {file: file.read_bytes() for file in book.rglob("*") if file.is_file()}
    with pytest.raises(BookError, match="is no translation"):
        mark_translated(book, book / place)
    assert {file: file.read_bytes() for file in book.rglob("*") if file.is_file()} == before


def test_a_translation_of_nothing_cannot_be_marked(book):
    lost = book / "docs/zh/lost.md"
    lost.write_text("# 迷失\n")
    with pytest.raises(BookError, match="no English page"):
        mark_translated(book, lost)
