"""The minutes that an article asks of its reader are about as many as its length says."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.fence_kinds import Block, ProbeFence, ProgramFence
from inside_torch.book.front_matter import ArticleFront
from inside_torch.book.recording import SNIPPETS
from inside_torch.book.regions import shown
from inside_torch.book.rules import rule
from inside_torch.book.skeleton import MARK
from inside_torch.book.whole_book import Book
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
        lines = sum(_lines(book, block) for block in page.blocks)
        expected = words / WORDS + lines / LINES
        if abs(front.minutes - expected) > TOLERANCE:
            yield page.fault(
                "minutes",
                page.front_lines["minutes"],
                f"{front.minutes} minutes for {counted(words, 'word')} and {counted(lines, 'line')} of code",
                f"{expected:.0f}, give or take {TOLERANCE}: {WORDS} words or {LINES} lines a minute",
            )


def _lines(book: Book, block: Block) -> int:
    """How many lines of a probe, or of a program's file or section, the page shows."""
    if isinstance(block, ProbeFence):
        return block.fence.body.count("\n")
    if not isinstance(block, ProgramFence):
        return 0
    try:
        return len(shown(book.root / SNIPPETS / block.subject, block.section.text if block.section else ""))
    except (OSError, BookError):
        return 0  # the rules `no-such-program` and `program-section` speak of it
