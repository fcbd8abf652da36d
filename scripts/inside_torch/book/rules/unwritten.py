"""What a skeleton leaves to be written."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.rules import rule
from inside_torch.book.skeleton import MARK
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError


@rule("unwritten")
def unwritten(book: Book) -> Iterator[BookError]:
    """No section is left as `inside-torch new` made it."""
    for page in book.sound:
        if not page.module:
            continue
        for number, line in enumerate(page.text.split("\n"), start=1):
            if line.startswith(MARK):
                task = line.removeprefix(MARK).strip()
                yield page.fault("unwritten", number, "a section that is not written", task)
