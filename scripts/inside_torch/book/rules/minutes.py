"""The minutes that an article asks of its reader are about as many as its length says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inside_torch.book.article import ArticleFront, Block, Book
from inside_torch.book.recording import SNIPPETS
from inside_torch.book.rules import rule
from inside_torch.book.skeleton import MARK
from inside_torch.errors import BookError, counted

#: How fast prose and code of this kind are read: words and lines a minute.
WORDS, LINES = 140, 40
#: How many minutes the front matter may be off.
TOLERANCE = 10


@rule("minutes")
def minutes(book: Book) -> Iterator[BookError]:
    """The minutes of an article are within :data:`TOLERANCE` of those that its words and its code take."""
    for page in book.articles:
        front = page.front
        if page.errors or not isinstance(front, ArticleFront) or MARK in page.text:
            continue  # what is not written yet has no length
        words = len(page.prose.split())
        lines = sum(_lines(book, block) for block in page.of_kind("probe", "program"))
        expected = words / WORDS + lines / LINES
        if abs(front.minutes - expected) > TOLERANCE:
            yield BookError(
                "minutes",
                f"{front.minutes} minutes for {counted(words, 'word')} and {counted(lines, 'line')} of code",
                f"{expected:.0f}, give or take {TOLERANCE}: {WORDS} words or {LINES} lines a minute",
                file=page.path,
                line=page.front_lines["minutes"],
            )


def _lines(book: Book, block: Block) -> int:
    """How many lines of a probe, or of a program's file or section, the page shows."""
    if block.body is None:
        return block.fence.body.count("\n")
    file = book.root / SNIPPETS / block.body.subject
    if not file.is_file():
        return 0  # the rule `no-such-program` speaks of it
    text = file.read_text(encoding="utf-8")
    if section := block.body.one("section"):
        region = re.search(
            rf"^[ \t]*(?:#|//)[ \t]*region[ \t]+{re.escape(section)}[ \t]*\n"
            r"(.*?)^[ \t]*(?:#|//)[ \t]*endregion\b",
            text,
            re.MULTILINE | re.DOTALL,
        )
        text = region[1] if region else ""  # the rule `program-section` speaks of it
    return text.count("\n")
