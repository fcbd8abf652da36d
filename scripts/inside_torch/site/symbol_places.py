"""What the search knows of PyTorch's names: where each is shown, called on a recorded path, or spoken of."""

from __future__ import annotations

import json
from collections.abc import Iterator

from inside_torch.book.fence_kinds import ExcerptFence, PathFence
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.book.recording import PathRecording, Program
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.address import Address, collapse

#: Its place in the site, beside the sections that search goes through.
DATA = "search/symbols.json"
#: What a place does with the name, the best first.
SHOWN, CALLED, TOLD = range(3)
#: What is done with a name, path of its file, section, and the id there.
Place = tuple[int, str, str, str]


def symbol_places(book: Book) -> str:
    """By name, the best place of each article: what it does, path of the file, section, the id there; JSON.

    A section is an address below the site of one language, the same in each.
    """
    found: dict[str, dict[str, Place]] = {}
    for page in book.in_language(ENGLISH):
        for symbol, place in sorted(_places(page), key=lambda one: one[1][0]) if page.module else ():
            found.setdefault(symbol, {}).setdefault(page.slug, place)
    listed = [
        [symbol, *sorted(places.values(), key=lambda place: place[0])]
        for symbol, places in sorted(found.items())
    ]
    return json.dumps(listed, ensure_ascii=False, separators=(",", ":"))


def _places(page: Page) -> Iterator[tuple[str, Place]]:
    """Every name on a page, with its place."""

    folder = page.slug.removesuffix("index").removesuffix("/")

    def section(line: int) -> str:
        return f"{folder}/#{page.heading_above(line)[0]}"

    for use in page.uses:
        yield from _named(use.written, TOLD, section(use.line), "")
    for block in page.blocks:
        if isinstance(block, ExcerptFence):
            yield from _named(collapse(block.subject), SHOWN, section(block.line), block.id or "")
        elif isinstance(block, PathFence):
            try:
                frames = PathRecording.load(Program.find(page.root, block.subject).path).frames
            except BookError:
                continue  # a rule of its own tells of it
            for frame in frames:
                yield frame.symbol, (CALLED, "", section(block.line), block.id or "")


def _named(written: str, kind: int, section: str, anchor: str) -> Iterator[tuple[str, Place]]:
    try:
        address = Address.parse(written)
    except BookError:
        return  # a rule of its own tells of it
    if address.symbol:
        yield address.symbol.partition("(")[0], (kind, address.path, section, anchor)
