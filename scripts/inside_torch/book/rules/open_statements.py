"""A Summary has no sentence that speaks of a whole class or of a cause without a proof."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.open_sentences import open_sentences
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError


@rule("open-summary")
def open_summaries(book: Book) -> Iterator[BookError]:
    """A sentence of a Summary that speaks of a whole class or of a cause links to its own proof."""
    for page in book.articles:
        if page.errors:
            continue
        for one in open_sentences(page):
            if one.section == "summary" and not one.reason:
                yield page.fault(
                    "open-summary",
                    one.line,
                    f"`{one.word}` with no proof: {one.text[:120]}",
                    "a link to a claim, a pin or a block in it, or `<!-- open: reason -->` after it",
                )
