"""Hold the book against all its rules, and report everything that breaks one."""

from __future__ import annotations

from pathlib import Path

from inside_torch.book.rules import (  # noqa: F401 - the modules register their rules
    GRAMMAR,
    RULES,
    blocks,
    claim_use,
    code_names,
    counts,
    drawings,
    known_readings,
    link_text,
    links,
    minutes,
    numbers,
    open_statements,
    proofs,
    routes,
    snippets,
    step_order,
    structure,
    terms,
    translation,
    unread_statements,
    unwritten,
)
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError


def check(root: Path) -> list[BookError]:
    """Every error of the book below ``root``, in the order of files and lines.

    A page whose grammar is broken is reported for that alone, since nothing else can be said of it.
    """
    return check_book(Book.load(root))


def check_book(book: Book) -> list[BookError]:
    """As :func:`check`, of a book that is loaded already."""
    found = [error for page in book.pages.values() for error in page.errors]
    for rule in RULES.values():
        found += rule(book)
    return sorted(found, key=lambda error: (str(error.file), error.line or 0, error.rule))
