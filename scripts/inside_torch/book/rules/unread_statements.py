"""A statement of a Summary has been read beside what its proof says, and neither has changed since."""

from __future__ import annotations

from collections.abc import Iterator

from inside_torch.book.rules import rule
from inside_torch.book.statements import FOLDER, faults, file_of, locked_digests, statements, tied
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest


@rule("statement-unread")
def read_statements(book: Book) -> Iterator[BookError]:
    """A statement of a Summary is as it was when it was read beside its proofs, and so are they."""
    pins = locked_digests(book.root)
    for page in book.articles:
        if page.errors:
            continue
        if not page.section("summary")[0]:
            continue  # the rule `sections` speaks of it
        present = statements(page, pins)
        try:
            readings = tied(book.root, page.slug)
        except BookError as error:
            yield error
            continue
        wrong = False
        for statement in present:
            for fault in faults(statement, readings):
                wrong = True
                near = nearest(statement.words, [one.words for one in readings], 1)
                yield page.fault(
                    "statement-unread",
                    statement.line,
                    f"{fault}: {statement.words[:100]}",
                    f"both read side by side: `inside-torch statements {page.path}`, then --read",
                    near if near != statement.words else "",
                )
        left = {one.words for one in readings} - {one.words for one in present}
        if len(readings) > len(present) and left and not wrong:
            yield BookError(
                "statement-unread",
                f"a statement that stands on the page no more: {min(left)[:100]}",
                f"`inside-torch statements {page.path} --read all` writes the file again",
                file=file_of(book.root, page.slug).relative_to(book.root),
            )
    known = {file_of(book.root, page.slug) for page in book.articles}
    for file in sorted((book.root / FOLDER).rglob("*.json")):
        if file not in known:
            yield BookError(
                "statement-unread",
                "statements of no article",
                "no such file",
                file=file.relative_to(book.root),
            )
