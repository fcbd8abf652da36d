"""How much of the book is proven, and by what: counted from the pages and the lock file at each build."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from inside_torch.book.fences import scan
from inside_torch.pins.lock import PinLock


def count_proofs(root: Path) -> dict[str, int]:
    """Number of ``pins`` and of distinct ``probes``, ``programs`` and ``paths`` of the English pages.

    ``pins-text`` and its like count the pins by evidence.
    """
    found: dict[str, set[str]] = {"probes": set(), "programs": set(), "paths": set()}
    for page in sorted((root / "docs" / "en").glob("module-*/*.md")):
        for fence in scan(page.read_text("utf-8")):
            subject = fence.body.partition("\n")[0].strip()
            if fence.language == "python" and "excuse" not in fence.options:
                found["probes"].add(f"{page.parent.name}/{page.name}:{fence.line}")
            elif fence.language == "output":
                found["programs"].add(subject)
            elif fence.language == "path":
                found["paths"].add(subject)
    lock = PinLock.load(root)
    evidence = Counter(f"pins-{pin.evidence}" for pin in lock)
    return {"pins": len(lock), **evidence, **{kind: len(names) for kind, names in found.items()}}
