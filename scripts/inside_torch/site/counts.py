"""How much of the book is proven, and by what: counted from the pages and the lock file at each build."""

from __future__ import annotations

from collections import Counter

from inside_torch.book.article import Book
from inside_torch.book.language import ENGLISH
from inside_torch.pins.lock import PinLock


def count_proofs(book: Book) -> dict[str, int]:
    """Number of ``pins`` and of distinct ``probes``, ``programs`` and ``paths`` of the English pages.

    ``pins-text`` and its like count the pins by evidence.
    """
    blocks = [block for page in book.in_language(ENGLISH) if page.module for block in page.blocks]
    subjects = {
        kind: {block.body.subject for block in blocks if block.kind == kind and block.body}
        for kind in ("output", "path")
    }
    lock = PinLock.load(book.root)
    return {
        "pins": len(lock),
        **Counter(f"pins-{pin.evidence}" for pin in lock),
        "probes": sum(block.kind == "probe" for block in blocks),
        "programs": len(subjects["output"]),
        "paths": len(subjects["path"]),
    }
