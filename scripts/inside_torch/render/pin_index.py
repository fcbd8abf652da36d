"""Pins as the pages show them; one lock for all pages of a process, read again when its file changes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from inside_torch.book.steps import Recorded, recorded
from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.calls import CallsLock
from inside_torch.pins.facts import Facts
from inside_torch.pins.lock import Excerpt, Pin, PinLock
from inside_torch.pins.release import RELEASE, permalink
from inside_torch.releases.descriptions import SUFFIX, Descriptions
from inside_torch.releases.stored import FOLDER, Stored, stored
from inside_torch.render.labels import Labels

_LOCKS: dict[Path, tuple[int, PinLock]] = {}
_DESCRIBED: dict[Path, tuple[dict[Path, int], Descriptions]] = {}


@dataclass(frozen=True)
class Source:
    """A pinned place in PyTorch's source."""

    address: Address
    pin: Pin
    lock: PinLock

    @property
    def file_href(self) -> str | None:
        """The file on GitHub, to which ``#L12`` can be added."""
        return None if self.pin.generated else permalink(self.address.path)

    @cached_property
    def excerpt(self) -> Excerpt | None:
        """The text, where the release or a source tree holds it."""
        return self.lock.excerpt(self.address)

    @property
    def evidence(self) -> str:
        """The pin's, or ``bracketed`` where its witnesses are around the lines."""
        return "bracketed" if self.pin.evidence == "witness" and not self.pin.witnesses else self.pin.evidence

    def proof(self, labels: Labels) -> str:
        """``proven by 2 witnesses``."""
        count = len(self.pin.witnesses)
        return labels("by-witnesses" if count > 1 else f"by-{self.evidence}", count=count)

    def title(self, labels: Labels) -> str:
        """One line that says where the place is and what proves it."""
        lines = labels.range(self.pin.first, self.pin.last)
        if self.pin.generated:
            return labels("generated-link", path=self.address.path, range=lines)
        return labels(
            "link-title",
            path=self.address.path,
            range=lines,
            at=labels("at", release=RELEASE),
            evidence=self.proof(labels),
        )


class PinIndex:
    """Looks addresses up in the lock of one repository."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def look(self, address: str) -> Source:
        """The place that an address names; :class:`BookError` where it is not pinned."""
        parsed = Address.parse(address)
        lock = self._lock()
        return Source(parsed, lock.shown(parsed), lock)

    @cached_property
    def facts(self) -> dict[str, Facts]:
        """What the compiled code says of the functions that pages show in steps."""
        return CallsLock.load(self.root).facts

    @cached_property
    def recorded(self) -> Recorded:
        """What calls what on the book's call paths."""
        return recorded(self.root)

    def pins(self) -> PinLock:
        """Every pin of the book."""
        return self._lock()

    def stored(self) -> list[Stored]:
        """What other releases did to the pins, oldest release first."""
        return list(self.described().kept)

    def described(self) -> Descriptions:
        """The same with the words about it; read again when a file changes."""
        folder = self.root / FOLDER
        files = [*folder.glob("*.json"), *folder.glob(f"*{SUFFIX}")]
        changed = {file: file.stat().st_mtime_ns for file in files}
        known = _DESCRIBED.get(self.root)
        if known is None or known[0] != changed:
            known = _DESCRIBED[self.root] = (changed, Descriptions(self.root, stored(self.root)))
        return known[1]

    def _lock(self) -> PinLock:
        file = self.root / "pins.lock"
        try:
            changed = file.stat().st_mtime_ns
        except FileNotFoundError:
            raise BookError(
                "pin-unlocked", "no pins.lock", "the file that `inside-torch lock` writes", file=file
            ) from None
        known = _LOCKS.get(self.root)
        if known is None or known[0] != changed:
            known = _LOCKS[self.root] = (changed, PinLock.load(self.root))
        return known[1]
