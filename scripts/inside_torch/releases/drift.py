"""What another release did to a pin: left it, moved it, changed it, or took it away."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import PurePosixPath
from typing import Any

from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import RELEASE, REPOSITORY
from inside_torch.pins.resolve import Evidence, Pin, digest, resolve
from inside_torch.pins.wheel import SourceFile, nearest_paths
from inside_torch.pins.witness import Libraries, Witness
from inside_torch.releases.wheels import Release

#: What can become of a pin. ``unknown`` is said with its reason, never counted as ``same``.
STATES = ("same", "moved", "changed", "gone", "unknown")
#: Why a pin counts as changed of which nothing is seen but that lines came or went between its assertions.
DISTANCES = "its assertions stand at other distances"


@dataclass(frozen=True)
class Drift:
    """One pin in another release.

    ``digest`` is that of the pin that was compared; ``first`` and ``last`` are its lines there (1-based,
    inclusive; None for a whole file and for what is gone); ``added`` and ``removed`` count the lines that
    differ, ``diff`` shows them and ``texts`` are the lines before and after; neither is kept. ``after`` is
    the digest of what a changed pin is there. ``home`` are the places most like a new one. ``why`` says in a
    phrase how it is known, or why it is not.
    """

    address: str
    state: str
    digest: str
    first: int | None = None
    last: int | None = None
    added: int = 0
    removed: int = 0
    home: tuple[str, ...] = ()
    why: str = ""
    after: str = ""
    diff: tuple[str, ...] = field(default=(), compare=False, repr=False)
    texts: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def unseen(self) -> bool:
        """Whether it changed and nothing is known of how: there is no more to say than that."""
        return self.state == "changed" and self.why == DISTANCES


class Comparison:
    """Every pin of a lock, held against ``release``; ``ours`` are the sources of the pinned release."""

    def __init__(self, lock: PinLock, ours: Evidence, release: Release) -> None:
        self.lock = lock
        self.ours = ours
        self.release = release
        self.libraries = Libraries(release.libraries) if release.libraries else None
        self.theirs = Evidence(release.wheel)

    def __iter__(self) -> Iterator[Drift]:
        if self.libraries:  # one search of each library for all of them
            self.libraries.search(pin.address.path for pin in self.lock if pin.by_witness)
        for pin in self.lock:
            yield self.compare(pin)

    def compare(self, pin: Pin) -> Drift:
        """What became of one pin."""
        if pin.by_witness and self.theirs.read(pin.address.path) is None:
            return self._by_witness(pin)
        if self.theirs.read(pin.address.path) is None:
            return self._gone(pin)
        if pin.first is None:
            return Drift(str(pin.address), "same", pin.digest, why="the file is there")
        try:
            found = resolve(pin.address, self.theirs)
        except BookError as error:
            return self._without(pin, error)
        assert found.first is not None and found.last is not None
        if found.digest == pin.digest:
            stays = (found.first, found.last) == (pin.first, pin.last)
            state = "same" if stays else "moved"
            return Drift(str(pin.address), state, pin.digest, found.first, found.last)
        return self._changed(pin, self._lines(found), found.first, found.last)

    def _text(self, pin: Pin) -> Sequence[str]:
        source = self.ours.read(pin.address.path)
        if source is None or pin.first is None or pin.last is None:
            return ()
        return source.lines[pin.first - 1 : pin.last]

    def _lines(self, found: Pin) -> Sequence[str]:
        source = self.theirs.read(found.address.path)
        assert source is not None and found.first is not None and found.last is not None
        return source.lines[found.first - 1 : found.last]

    def _changed(
        self, pin: Pin, after: Sequence[str], first: int | None, last: int | None, why: str = ""
    ) -> Drift:
        known = self._differing(self._text(pin), after)
        added, removed = (sum(line.startswith(sign) for line in known["diff"][2:]) for sign in "+-")
        return Drift(str(pin.address), "changed", pin.digest, first, last, added, removed, why=why, **known)

    def _differing(self, before: Sequence[str], after: Sequence[str]) -> dict[str, Any]:
        """What a :class:`Drift` says of two texts that differ."""
        diff = difflib.unified_diff(before, after, RELEASE, self.release.version, lineterm="", n=2)
        return {"diff": tuple(diff), "texts": (*before, *after), "after": digest(after)}

    def _without(self, pin: Pin, error: BookError) -> Drift:
        """The file is there and the place is not: its line changed, or its symbol is gone."""
        if error.rule == "pin-text" and pin.address.symbol and pin.address.text:
            near = re.match(r"line (\d+): ", error.nearest)
            line = int(near[1]) if near else None
            source = self.theirs.read(pin.address.path)
            after = [source.lines[line - 1]] if source and line else []
            return self._changed(pin, after, line, line, error.found)
        if error.rule == "pin-ambiguous":
            source = self.theirs.read(pin.address.path)
            assert source is not None
            several = [one for one in self.theirs.symbols(source) if one.name == pin.address.symbol]
            after = [line for one in several for line in source.lines[one.first - 1 : one.last]]
            changed = self._changed(pin, after, None, None, error.found)
            return changed if after else replace(changed, after="")  # which of them, nobody knows
        return self._gone(pin, error.found)

    def _gone(self, pin: Pin, why: str = "") -> Drift:
        homes = tuple(self._homes(pin))
        why, texts = why or "the file is gone", tuple(self._text(pin))
        return Drift(str(pin.address), "gone", pin.digest, home=homes, why=why, texts=texts)

    def _homes(self, pin: Pin) -> list[str]:
        """Where something of the same name is defined now, nearest folders first."""
        path, symbol = pin.address.path, pin.address.symbol
        if symbol is None:
            return [place for place in nearest_paths(path, self._paths).split(", ") if place]
        name = re.split(r"::|\.", symbol.partition("(")[0])[-1]
        if not re.fullmatch(r"\w+", name):
            return []
        python = PurePosixPath(path).suffix == ".py"
        form = rf"^\s*(?:async )?(?:def|class) {name}\b|^{name}\s*(?::[^=]+)?=" if python else rf"\b{name}\b"
        found = []
        for other in self._paths:
            if (PurePosixPath(other).suffix == ".py") != python:
                continue
            source = self._source(other)
            if source is None or name not in source.text:
                continue
            numbers = [n for n, line in enumerate(source.lines, start=1) if re.search(form, line)]
            if numbers and (python or _defines(source, name)):
                found.append((_apart(path, other), other, numbers[0]))
        return [f"{other}:{line}" for _, other, line in sorted(found)[:3]]

    @cached_property
    def _paths(self) -> list[str]:
        return self.release.wheel.paths()

    def _source(self, path: str) -> SourceFile | None:
        try:
            return self.theirs.read(path)
        except BookError:
            return None

    def _by_witness(self, pin: Pin) -> Drift:
        if self.libraries is None:
            why = f"no library of {self.release.version} was at hand"
            return Drift(str(pin.address), "unknown", pin.digest, why=why)
        if self.libraries.lacks(pin.address.path):
            return Drift(str(pin.address), "unknown", pin.digest, why="only the CUDA libraries remember it")
        if pin.address.path not in self.libraries.mentioned:
            return Drift(str(pin.address), "gone", pin.digest, why="no library names the file")
        if pin.first is None:
            return self._unproven(pin)
        there = self.libraries.witnesses(pin.address.path)
        found = _witnessed(pin, there)
        own = pin.witnesses or pin.around
        before = _listed(own)
        if found.state != "changed":
            return replace(found, texts=tuple(before))
        texts = {(witness.function, witness.text) for witness in own}
        functions = {witness.function for witness in pin.witnesses}  # those around it have more neighbours
        after = _listed(
            witness
            for witness in there
            if witness.function in functions or (witness.function, witness.text) in texts
        )
        return replace(found, **self._differing(before, after))

    def _unproven(self, pin: Pin) -> Drift:
        """A whole file, or a symbol with no proven line: all that can be asked is whether it is there."""
        assert self.libraries is not None
        name = (pin.address.symbol or "").partition("(")[0]
        if name and not self.libraries.defines(name):
            return Drift(str(pin.address), "gone", pin.digest, why=f"no library defines {name}")
        return Drift(str(pin.address), "same", pin.digest, why="it is there; no line of it can be compared")


def _witnessed(pin: Pin, there: Sequence[Witness]) -> Drift:
    """A pin held by the assertions inside it or around it: by their texts, functions and distances."""
    assert pin.first is not None and pin.last is not None
    own = pin.witnesses or pin.around
    known: dict[tuple[str, str], list[int]] = {}
    for witness in there:
        known.setdefault((witness.function, witness.text), []).append(witness.line)
    lost = [witness for witness in own if (witness.function, witness.text) not in known]
    if len(lost) == len(own):
        functions = {witness.function for witness in there}
        state = "changed" if any(witness.function in functions for witness in own) else "gone"
        return Drift(str(pin.address), state, pin.digest, why="none of its assertions is there")
    shifts = [
        {line - witness.line for line in known[witness.function, witness.text]}
        for witness in own
        if witness not in lost
    ]
    shared = set.intersection(*shifts)
    if lost or not shared:
        why = (
            f"{len(lost)} of its {len(own)} assertions are not there: {lost[0].text[:60]!r}"
            if lost
            else DISTANCES
        )
        return Drift(str(pin.address), "changed", pin.digest, why=why)
    shift = min(shared, key=abs)
    place = "inside it" if pin.witnesses else "around it"
    why = f"as its {len(own)} assertions {place} tell" if len(own) > 1 else f"as one assertion {place} tells"
    state = "moved" if shift else "same"
    return Drift(str(pin.address), state, pin.digest, pin.first + shift, pin.last + shift, why=why)


def _listed(witnesses: Iterable[Witness]) -> list[str]:
    """Assertions as lines to compare: each with its function and its distance from the one before it."""
    lines, last = [], None
    for witness in sorted(witnesses):
        after = "first" if last is None else f"{witness.line - last} lines on"
        lines.append(f"{witness.function}, {after}: {witness.text}")
        last = witness.line
    return lines


def _defines(source: SourceFile, name: str) -> bool:
    """Whether a header declares something of this name rather than uses it."""
    form = rf"(?:class|struct|enum(?: class)?)(?: \w+_API)? {name}\b(?!;)|[\w>&*] {name}\(|#define {name}\b"
    return bool(re.search(form, source.text))


def _apart(path: str, other: str) -> tuple[int, str]:
    """How many folders two paths do not share: the order in which new homes are offered."""
    return len(set(path.split("/")[:-1]) ^ set(other.split("/")[:-1])), other


def permalink(release: Release, path: str, drift: Drift) -> str | None:
    """The place in the other release; None where it has none or the file is in no repository."""
    if drift.state in ("gone", "unknown") or path.startswith("torch/include/"):
        return None
    link = f"{REPOSITORY}/blob/{release.commit}/{path}"
    if drift.first is None:
        return link
    return f"{link}#L{drift.first}" + (f"-L{drift.last}" if drift.last != drift.first else "")


def counts(drifts: Sequence[Drift]) -> Mapping[str, int]:
    """How many pins are in each state, in the order of :data:`STATES`."""
    return {state: sum(drift.state == state for drift in drifts) for state in STATES}
