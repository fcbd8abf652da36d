"""How much of the book is proven, and by what: counted from the book at each build, for the front page."""

from __future__ import annotations

from collections import Counter

from inside_torch.book.fence_kinds import OutputFence, PathFence, ProbeFence
from inside_torch.book.language import ENGLISH
from inside_torch.book.readings import is_settled, load
from inside_torch.book.whole_book import Book
from inside_torch.pins.lock import PinLock


def count_proofs(book: Book) -> dict[str, int]:
    """Number of ``pins`` and of distinct ``probes``, ``programs`` and ``paths`` of the English pages.

    ``pins-text`` and its like count the pins by evidence; ``settled`` are the ``articles`` whose last two
    readings found nothing serious.
    """
    blocks = [block for page in book.in_language(ENGLISH) if page.module for block in page.blocks]
    subjects = {
        kind: {block.subject for block in blocks if isinstance(block, kind)}
        for kind in (OutputFence, PathFence)
    }
    lock = PinLock.load(book.root)
    articles, readings = [page.slug for page in book.articles], load(book.root)
    return {
        "pins": len(lock),
        **Counter(f"pins-{pin.evidence}" for pin in lock),
        "probes": sum(isinstance(block, ProbeFence) for block in blocks),
        "programs": len(subjects[OutputFence]),
        "paths": len(subjects[PathFence]),
        "articles": len(articles),
        "settled": sum(is_settled(readings, slug) for slug in articles),
    }


def with_counts(text: str, counts: dict[str, int]) -> str:
    """The text of the front page with ``[[pins]]`` and its like filled in."""
    for name, count in counts.items():
        text = text.replace(f"[[{name}]]", str(count))
    return text
