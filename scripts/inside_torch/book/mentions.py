"""From a line of PyTorch to the places in the book that speak of it: the index of every pinned file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock
from inside_torch.pins.resolve import Pin
from inside_torch.pins.wheel import nearest_paths


@dataclass(frozen=True)
class Mention:
    """A pin where a page uses it: ``line`` (1-based) of ``page``, below the heading ``anchor``."""

    pin: Pin
    page: str  # module/article
    line: int
    anchor: str
    title: str  # the heading's words
    article: str  # the page's title


def mentions(book: Book, lock: PinLock) -> list[Mention]:
    """Every use of a pin on an English page of a module, in page order."""
    return [found for page in book.in_language(ENGLISH) if page.module for found in mentions_of(page, lock)]


def mentions_of(page: Page, lock: PinLock) -> Iterator[Mention]:
    """Those of one page."""
    for use in page.uses:
        if use.written in lock:
            anchor, title = page.heading_above(use.line)
            yield Mention(lock.pin(use.written), page.slug, use.line, anchor, title, page.title)


def holding(found: Iterable[Mention], path: str, line: int | None) -> list[Mention]:
    """The mentions of a file by line, or those whose pins hold a line of it (1-based), the narrowest first.

    Raises :class:`BookError` where no page speaks of the file, or of that line of it.
    """
    every = list(found)
    here = [mention for mention in every if mention.pin.address.path == path]
    if not here:
        known = sorted({mention.pin.address.path for mention in every})
        raise BookError(
            "where-file",
            f"no page speaks of {path}",
            "a file that the book pins, by its path in PyTorch's repository",
            nearest_paths(path, known),
        )
    if line is None:
        return sorted(here, key=lambda mention: (mention.pin.first or 0, mention.page, mention.line))
    pinned = [
        mention
        for mention in here
        if mention.pin.first is not None
        and mention.pin.last is not None
        and mention.pin.first <= line <= mention.pin.last
    ]
    if not pinned:
        ranges = sorted({(m.pin.first, m.pin.last) for m in here if m.pin.first and m.pin.last})
        close = sorted(ranges, key=lambda ends: min(abs(ends[0] - line), abs(ends[1] - line)))[:3]
        raise BookError(
            "where-line",
            f"no page speaks of line {line} of {path}",
            "a line that a pin holds",
            ", ".join(f"{first}-{last}" if first != last else str(first) for first, last in close),
        )
    return sorted(pinned, key=lambda m: ((m.pin.last or 0) - (m.pin.first or 0), m.page, m.line))


def repository_path(given: str, known: Iterable[str]) -> str:
    """The one of ``known`` that a path is or ends in (a checkout's, a traceback's); else the path itself."""
    given = given.replace("\\", "/").removeprefix("src:").removeprefix("./")
    ends = [path for path in known if given == path or given.endswith(f"/{path}")]
    if not ends and "site-packages/torch/include/ATen/" in given:
        return "aten/src/ATen/" + given.partition("torch/include/ATen/")[2]
    if not ends and "torch/include/" in given:
        return given.partition("torch/include/")[2]
    return max(ends, key=len) if ends else given
