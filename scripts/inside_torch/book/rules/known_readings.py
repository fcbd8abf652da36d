"""The file of readings can be read, and speaks of articles that there are."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.curriculum import line_of
from inside_torch.book.readings import FILE, load
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest


@rule("readings")
def readings(book: Book) -> Iterator[BookError]:
    """Each reading is of articles of the book, and has as many statements as its articles at least."""
    try:
        known = load(book.root)
    except BookError as error:
        yield error
        return
    slugs = [page.slug for page in book.articles]
    for reading in known:
        text = (book.root / FILE).read_text(encoding="utf-8")
        for slug in reading.articles:
            if slug not in slugs:
                yield BookError(
                    "readings",
                    f"a reading of `{slug}`",
                    "the slug of an article",
                    nearest(slug, slugs),
                    FILE,
                    line_of(text, [slug]),
                )
        counted = sum(found.statements or 0 for found in reading.articles.values())
        if counted > reading.statements:
            yield BookError(
                "readings",
                f"{counted} statements in its articles, {reading.statements} in all",
                "no more than in all",
                file=FILE,
                line=line_of(text, [*reading.articles][:1]),
            )
