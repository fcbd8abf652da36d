"""What is wrong with the book, found without running it: its rules, its pins, its drawings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from markdown import Markdown
from markdown.treeprocessors import Treeprocessor
from mkdocs.config import load_config
from mkdocs.exceptions import MkDocsException
from mkdocs.utils.meta import get_data

from inside_torch.book.check import check_book
from inside_torch.book.fences import scan
from inside_torch.book.language import LANGUAGES
from inside_torch.book.page import Page
from inside_torch.book.uses import places, uses
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.lock import Evidence, PinLock
from inside_torch.pins.verify import uses_against, verify
from inside_torch.releases.descriptions import Descriptions
from inside_torch.releases.read_again import unread
from inside_torch.releases.stored import stored
from inside_torch.render.code import unseen
from inside_torch.render.drawers import DRAWERS, draw
from inside_torch.render.drawn_page import DrawnPage
from inside_torch.render.extension import InsideTorch


def proven(book: Book, draws: Callable[[Page], bool] = lambda page: True) -> list[BookError]:
    """Every error of the book, by file and line; files are relative to its root.

    ``draws`` says which pages are drawn, which takes most of the time. A place with a fault by the rules or
    the pins is not reported again for not being drawn.
    """
    known = check_book(book) + pinned(book) + compared(book.root) + list(unread(book.root))
    # A page that hides its addresses is told by the rules and by the pins.
    errors = list({str(error): error for error in (_below(error, book.root) for error in known)}.values())
    said = {(str(error.file), error.line) for error in errors}
    undrawn = [_below(error, book.root) for error in drawn(book, draws)]
    errors += [error for error in undrawn if (str(error.file), error.line) not in said]
    return sorted(errors, key=lambda error: (str(error.file), error.line or 0))


def _below(error: BookError, root: Path) -> BookError:
    """The same error with its file relative to the root, where it is below it."""
    if error.file is not None and Path(error.file).is_relative_to(root):
        error.file = Path(error.file).relative_to(root)
    return error


def pinned(book: Book) -> list[BookError]:
    """What is wrong with the pins: unlocked, unused, not what the release holds."""
    try:
        used, wrong = places(uses(book))
        lock = PinLock.load(book.root)
        sources = Evidence.here()
        return wrong + uses_against(lock, used, sources) + verify(lock, sources)[0]
    except BookError as error:
        return [error]


def compared(root: Path) -> list[BookError]:
    """The comparison with another release that cannot be read, or what is wrong with the words about them."""
    try:
        return Descriptions(root, stored(root)).faults()
    except BookError as error:
        return [error]


def drawn(book: Book, draws: Callable[[Page], bool] = lambda page: True) -> list[BookError]:
    """What the site's own extensions cannot draw of these pages: each fence that fails, or the first link."""
    wrong: list[BookError] = []
    for language in LANGUAGES:
        try:
            config = load_config(str(book.root / language.config), docs_dir=str(book.root / language.docs))
        except MkDocsException as error:
            return [BookError("configuration", str(error) or "MkDocs cannot read it", file=language.config)]
        own = {"root": str(book.root), "language": language.code}
        settings = config.mdx_configs | {
            "inside_torch.render": config.mdx_configs.get("inside_torch.render", {}) | own,
            "pymdownx.highlight": config.mdx_configs.get("pymdownx.highlight", {}) | {"use_pygments": False},
        }
        md = Markdown(extensions=config.markdown_extensions, extension_configs=settings)
        place: Any = Treeprocessor(md)
        md.treeprocessors.register(place, "relpath", 0)  # where MkDocs says which page is drawn
        for page in book.in_language(language):
            if page.errors or not draws(page):
                continue
            place.file = SimpleNamespace(abs_src_path=str(page.file), src_uri=page.place)
            text = get_data(page.file.read_text(encoding="utf-8"))[0]
            try:
                with unseen():
                    md.reset().convert(text)
            except BookError as error:
                wrong += [error.at(page.path) for error in _undrawn(md, text) or [error]]
    return wrong


def _undrawn(md: Markdown, text: str) -> list[BookError]:
    """The error of each fence that cannot be drawn; a conversion ends at the first."""
    extension = next(one for one in md.reset().registeredExtensions if isinstance(one, InsideTorch))
    extension.canvas.page = DrawnPage.of(md, text.split("\n"))
    wrong: list[BookError] = []
    for fence in scan(text):
        if fence.language not in DRAWERS:
            continue
        try:
            draw(extension.canvas, fence)
        except BookError as error:
            wrong.append(error)
    return wrong
