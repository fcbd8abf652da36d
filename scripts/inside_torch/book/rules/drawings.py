"""Numbers that are drawn can be."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.fence_kinds import MeasurementsFence, OutputFence
from inside_torch.book.rules import rule
from inside_torch.book.tables import picture
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError


@rule("picture-table")
def drawn_tables(book: Book) -> Iterator[BookError]:
    """What a fence has drawn is a table of numbers of the form that its drawing takes."""
    for page in book.pages.values():
        for block in page.blocks:
            if not isinstance(block, OutputFence | MeasurementsFence) or block.drawing is None:
                continue
            try:
                picture(book.root, block)
            except BookError as error:
                if error.rule == "picture-table":  # other rules speak of what is not there
                    yield page.fault(error.rule, block.line, error.found, error.expected)
