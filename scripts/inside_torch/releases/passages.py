"""Which paragraphs a person must read again because a pin in them changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from inside_torch.book.link_grammar import words_alone
from inside_torch.book.uses import english_uses
from inside_torch.book.whole_book import Book
from inside_torch.releases.drift import Drift


@dataclass(frozen=True)
class Passage:
    """A place in the book that speaks of a pin: ``line`` (1-based) of ``file``, below the heading with id
    ``heading``; ``words`` are the first of it.
    """

    file: Path
    line: int
    heading: str
    words: str


def passages(book: Book, drifts: Iterable[Drift]) -> dict[str, list[tuple[Drift, Passage]]]:
    """Page (its path) to what must be read again on it, in its order: the passages that use a pin which is
    changed or gone. English ones: a trace is recorded again, a translation follows its original.
    """
    touched = {drift.address: drift for drift in drifts if drift.state in ("changed", "gone")}
    found: dict[str, list[tuple[Drift, Passage]]] = {}
    for use in english_uses(book):
        drift = touched.get(str(use.address))
        if drift is not None:
            page = book.pages[use.file]
            words = _words(page.text.split("\n"), use.line)
            passage = Passage(use.file, use.line, page.heading_above(use.line)[0], words)
            found.setdefault(str(use.file), []).append((drift, passage))
    return {page: sorted(several, key=lambda one: one[1].line) for page, several in sorted(found.items())}


def _words(lines: list[str], line: int, count: int = 9) -> str:
    """The beginning of the paragraph that the line is in, its links reduced to their texts."""
    first = line - 1
    while first > 0 and lines[first - 1].strip() and not lines[first - 1].startswith(("```", "#")):
        first -= 1
    end = line
    while end < len(lines) and lines[end].strip() and not lines[end].startswith("```"):
        end += 1
    words = words_alone(" ".join(lines[first:end])).split()
    return " ".join(words[:count]) + (" …" if len(words) > count else "")
