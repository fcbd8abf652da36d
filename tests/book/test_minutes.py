"""The minutes of an article follow its words, its probes and the programs that it shows."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from inside_torch.book.rules.minutes import minutes
from inside_torch.book.whole_book import Book

GOOD = Path(__file__).parent.parent / "fixtures" / "book"
PROGRAM = """```program
module-01-sums/add/one_add.py
section: add
```
"""


@pytest.fixture
def found(tmp_path):
    """What the rule says of the small book's first article with a text at its end."""

    def of(more: str, program: str = "") -> list[str]:
        book = Path(shutil.copytree(GOOD, tmp_path / "book", dirs_exist_ok=True))
        page = book / "docs/en/module-01-sums/add.md"
        page.write_text(page.read_text("utf-8") + "\n" + more, "utf-8")
        if program:
            (book / "snippets/module-01-sums/add/one_add.py").write_text(program, "utf-8")
        return [str(error) for error in minutes(Book.load(book))]

    return of


@pytest.mark.parametrize(
    ("more", "program"),
    [
        ("word " * 200 * 20, ""),
        ("```python\n" + "x = 1\n" * 40 * 20 + "```\n", ""),
        (PROGRAM, "# region add\n" + "x = 1\n" * 40 * 20 + "# endregion\n"),
    ],
    ids=["words", "a probe", "a section of a program"],
)
def test_what_has_grown_takes_longer(found, more, program):
    [error] = found(more, program)
    assert "docs/en/module-01-sums/add.md:5: [minutes] 5 minutes for " in error


@pytest.mark.parametrize(
    ("more", "program"),
    [
        ("word " * 200 * 5, ""),
        ("> **To write.** More.\n\n" + "word " * 200 * 20, ""),
        (PROGRAM, "# region add\nx = 1\n# endregion\n" + "x = 1\n" * 40 * 20),
    ],
    ids=["a little more", "not written yet", "outside the section"],
)
def test_what_is_not_shown_or_not_much_does_not(found, more, program):
    assert found(more, program) == []
