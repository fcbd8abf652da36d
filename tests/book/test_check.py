"""Every rule of the book lets the good book pass, and goes red for each of its faults.

``tests/fixtures/book`` is a tiny book with nothing wrong; ``tests/fixtures/broken/<rule>/fault.yml`` holds
the faults of one rule, a YAML document each: what is wrong (``fault``), the file that the error names
(``at``), a text that stands on its line (``line``), other files that the fault shows in (``also``), texts
that the error holds (``says``) and does not hold (``silent``), and the ``edits`` that make it.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml
from inside_torch.book.check import check
from inside_torch.book.rules import GRAMMAR, RULES

FIXTURES = Path(__file__).parent.parent / "fixtures"
GOOD = FIXTURES / "book"
FAULTS = [
    (file.parent.name, fault)
    for file in sorted((FIXTURES / "broken").glob("*/fault.yml"))
    for fault in yaml.safe_load_all(file.read_text(encoding="utf-8"))
]


@pytest.fixture
def book(tmp_path):
    """A copy of the good book."""
    return Path(shutil.copytree(GOOD, tmp_path / "book", ignore=shutil.ignore_patterns("__pycache__")))


def break_it(book: Path, edits: list[dict]) -> None:
    """Apply the edits of a fault; a text to replace stands exactly once in its file."""
    for edit in edits:
        file = book / edit["file"]
        if edit.get("delete"):
            file.unlink()
        elif "write" in edit:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(edit["write"], encoding="utf-8")
        else:
            text = file.read_text(encoding="utf-8")
            assert text.count(edit["replace"]) == 1, (edit["replace"], text.count(edit["replace"]))
            file.write_text(text.replace(edit["replace"], edit["by"]), encoding="utf-8")


def line_of(file: Path, wanted: str) -> int:
    """The line on which the first, and but for front matter the only, occurrence of a text begins."""
    text = file.read_text(encoding="utf-8")
    assert wanted in text and (wanted == "---\n" or text.count(wanted) == 1), wanted
    return text.count("\n", 0, text.index(wanted)) + 1


def test_the_good_book_passes(book):
    assert [str(error) for error in check(book)] == []


@pytest.mark.parametrize(
    ("rule", "fault"), FAULTS, ids=[f"{rule}: {fault['fault']}" for rule, fault in FAULTS]
)
def test_a_fault_is_found_where_it_is_and_nothing_else(book, rule, fault):
    break_it(book, fault["edits"])
    errors = check(book)
    assert errors, "nothing went red"
    assert {error.rule for error in errors} == {rule}, "\n".join(map(str, errors))
    assert {str(error.file) for error in errors} <= {fault["at"], *fault.get("also", [])}, "\n".join(
        map(str, errors)
    )
    wanted = line_of(book / fault["at"], fault["line"]) if "line" in fault else None
    assert wanted in [error.line for error in errors if str(error.file) == fault["at"]], "\n".join(
        map(str, errors)
    )
    said = "\n".join(map(str, errors))
    assert all(part in said for part in fault.get("says", [])), said
    assert not any(part in said for part in fault.get("silent", [])), said
    if "also" not in fault:
        assert len(errors) == 1, "\n".join(map(str, errors))


def test_every_rule_has_a_fault_and_says_what_it_proves():
    ours = {rule for rule, _ in FAULTS}
    assert ours == set(RULES) | set(GRAMMAR)
    assert all(rule.__doc__ for rule in RULES.values())


def test_no_error_is_hidden_by_another(book):
    some = [
        fault
        for rule, fault in FAULTS
        if rule in ("heading-id", "source-link", "orphan-page", "indented-code")
    ]
    break_it(book, [edit for fault in some for edit in fault["edits"]])
    assert {error.rule for error in check(book)} == {
        "heading-id",
        "source-link",
        "orphan-page",
        "indented-code",
    }
