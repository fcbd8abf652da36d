"""The claims of the book on another release, as ``inside-torch count --against`` counted them there."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inside_torch.book.claims import Claim, Count, Counts, Other, articles, claims_of


@dataclass(frozen=True)
class Recounted:
    """One claim of the book: what was counted here, and there; ``theirs`` is None where it was not."""

    claim: Claim
    ours: Count
    theirs: Other | None

    @property
    def excepted(self) -> list[str]:
        """Members that are exceptions there alone."""
        return sorted(set(self.theirs.exceptions) - set(self.ours.exceptions)) if self.theirs else []

    @property
    def held(self) -> list[str]:
        """Members that are exceptions here alone."""
        return sorted(set(self.ours.exceptions) - set(self.theirs.exceptions)) if self.theirs else []

    @property
    def differs(self) -> bool:
        """Whether members or exceptions are others there."""
        return bool(self.theirs and (self.theirs.came or self.theirs.went or self.excepted or self.held))


def recounted(root: Path, version: str) -> Iterator[Recounted]:
    """Every claim that was counted here, in the order of the articles."""
    for article in articles(root):
        file = Counts.file(root, article)
        if not file.is_file():
            continue
        counts = Counts.load(file)
        for claim in claims_of(root, article).values():
            if claim.id in counts.claims:
                others = (other for other in counts.others.get(claim.id, ()) if other.release == version)
                yield Recounted(claim, counts.claims[claim.id], next(others, None))
