"""The glossary can be read, and what it sends its readers to is there."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.article import Book
from inside_torch.book.glossary import FILE, load
from inside_torch.book.language import ENGLISH
from inside_torch.book.rules import rule
from inside_torch.errors import BookError, nearest


@rule("glossary")
def glossary(book: Book) -> Iterator[BookError]:
    """The glossary is one, and each term is explained where it says."""
    try:
        known = load(book.root)
    except BookError as error:
        yield error
        return
    text = (book.root / FILE).read_text(encoding="utf-8") if known.terms else ""
    for key, term in known.terms.items():
        slug, _, anchor = term.see.partition("#")
        page = book.page(ENGLISH, f"{slug}.md")
        if page and page.errors:
            continue  # what it holds is not known
        ids = [found for found, _ in page.ids] if page else []
        if anchor not in ids:
            slugs = [each.slug for each in book.pages.values() if each.is_english]
            close = nearest(anchor, ids) if page else nearest(slug, slugs)
            line = text[: text.index(f"\n{key}:") + 1 if f"\n{key}:" in text else 0].count("\n") + 1
            yield BookError(
                "glossary", f"{key} is explained at `{term.see}`", "a page and an id of it", close, FILE, line
            )
