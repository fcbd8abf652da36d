"""The pins held against their sources, and the lock that a book's addresses need."""

from __future__ import annotations

import contextlib
import difflib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from inside_torch.errors import BookError
from inside_torch.pins.address import Address
from inside_torch.pins.lock import PinLock
from inside_torch.pins.resolve import Evidence, Pin, hold_inside_tree, resolve
from inside_torch.pins.wheel import COMPILED
from inside_torch.pins.witness import Libraries


def check(locked: Pin, sources: Evidence) -> None:
    """Resolves a pin again and raises :class:`BookError` where the lock says otherwise.

    Witnesses are those of ``sources``: what the lock remembers (:meth:`Evidence.remembering`), or the
    libraries.
    """
    has_text = sources.read(locked.address.path) is not None
    if locked.by_tree and not has_text:
        return _hold_inside(locked)
    if locked.by_witness and has_text:
        hold_inside_tree(locked, resolve(locked.address, sources))
        sources, has_text = replace(sources, tree=None), False
    found = resolve(locked.address, sources)
    if (found.first, found.last) != (locked.first, locked.last):
        raise BookError(
            "pin-moved",
            f"{locked.address}: {locked.lines} in the lock, {found.lines} now"
            f"{_difference(locked, found, sources)}",
            "`inside-torch lock`, once the page agrees with the new lines",
        )
    if (found.evidence, found.generated) != (locked.evidence, locked.generated):
        raise BookError(
            "pin-changed",
            f"{locked.address}: evidence {locked.evidence} in the lock, {found.evidence} now",
            "`inside-torch lock`",
        )
    searched = sources.witnesses if isinstance(sources.witnesses, Libraries) else None
    if searched is not None:
        _hold_witnesses(locked, searched)
    # What a search finds may be more than was locked, and then has another digest.
    if found.digest != locked.digest and (has_text or searched is None):
        raise BookError(
            "pin-changed",
            f"{locked.address}: the {'text' if has_text else 'witnesses'} of {locked.lines} changed "
            f"(digest {locked.digest} in the lock, {found.digest} now)"
            f"{_shown(found, sources)}",
            "`inside-torch lock`, once the page agrees with what stands there now",
        )


def _hold_inside(locked: Pin) -> None:
    """All that can be held of lines from a tree that is not here: its witnesses lie in them."""
    for witness in locked.witnesses:
        if locked.first is None or locked.last is None or not locked.first <= witness.line <= locked.last:
            raise BookError(
                "pin-moved",
                f"{locked.address}: its witness of line {witness.line} is outside {locked.lines}",
                "witnesses inside the pinned lines",
            )


def _hold_witnesses(locked: Pin, libraries: Libraries) -> None:
    """Every locked witness must be found again; a build may remember more of them, or no message."""
    now = {witness.line: witness for witness in libraries.witnesses(locked.address.path)}
    for witness in (*locked.witnesses, *locked.around):
        again = now.get(witness.line)
        if again is None:
            close = min(now, key=lambda line: abs(line - witness.line), default=None)
            raise BookError(
                "pin-changed",
                f"{locked.address}: no library has a witness of line {witness.line} ({witness.text[:80]!r})",
                "the witnesses in the lock",
                f"line {close}: {now[close].text[:80]}" if close else "",
            )
        same = not (witness.function and again.function) or witness.function == again.function
        if not same or (witness.text and again.text and not _alike(witness.text, again.text)):
            raise BookError(
                "pin-changed",
                f"{locked.address}: line {witness.line} is {again.function}'s: {again.text[:80]!r}",
                f"{witness.function}: {witness.text[:80]!r}",
            )


def _alike(one: str, other: str) -> bool:
    """One text, or two parts of one message: which part stands nearest differs between builds."""
    return one == other or one in other or other in one


def _difference(locked: Pin, found: Pin, sources: Evidence) -> str:
    """The lines that the lock names against those that the address names, where there is text."""
    source = sources.read(locked.address.path)
    if source is None or None in (locked.first, locked.last, found.first, found.last):
        return ""
    old = list(source.lines[locked.first - 1 : locked.last])  # type: ignore[operator]
    new = list(source.lines[found.first - 1 : found.last])  # type: ignore[operator]
    lines = list(difflib.unified_diff(old, new, locked.lines, found.lines, lineterm="", n=1))
    return "\n" + "\n".join(
        f"    {line[:110]}" for line in (*lines[:12], *(["…"] if len(lines) > 12 else []))
    )


def _shown(found: Pin, sources: Evidence) -> str:
    source = sources.read(found.address.path)
    if source is None or found.first is None or found.last is None:
        return "".join(f"\n    line {w.line}: {w.function}: {w.text[:90]}" for w in found.witnesses[:6])
    return "".join(
        f"\n    {number}: {source.lines[number - 1][:100]}"
        for number in range(found.first, min(found.last, found.first + 4) + 1)
    )


def verify(lock: PinLock, sources: Evidence, *, witnesses: bool = False) -> tuple[list[BookError], list[str]]:
    """Every pin held against its sources: what is wrong, and what could not be held against anything here.

    ``witnesses`` searches the libraries again; otherwise a pin is held against the witnesses that it was
    locked with.
    """
    wrong: list[BookError] = []
    notes: list[str] = []
    libraries = sources.witnesses
    if witnesses and isinstance(libraries, Libraries):
        libraries.search(pin.address.path for pin in lock if pin.witnesses)
    for pin in lock:
        held = sources.remembering(pin)
        if witnesses and pin.evidence != "text" and isinstance(libraries, Libraries):
            if pin.witnesses and libraries.lacks(pin.address.path):
                notes.append(
                    f"{pin.address}: its witnesses are in the CUDA libraries; not searched on this build"
                )
            else:
                held = sources
        if pin.by_tree and sources.read(pin.address.path) is None:
            notes.append(
                f"{pin.address}: its lines are proven by a source tree, and there is none here (--tree)"
            )
        try:
            check(pin, held)
        except BookError as error:
            wrong.append(error.at(lock.file))
    return wrong, notes


@dataclass
class Change:
    """One line of what locking did: ``added``, ``changed``, ``removed``."""

    kind: str
    address: str
    before: Pin | None
    after: Pin | None


def lock_all(
    root: Path, used: Mapping[str, tuple[Path, int]], sources: Evidence, kept: Collection[str] = ()
) -> tuple[PinLock, list[Change]]:
    """The lock that these addresses need (used: address to the first place that uses it), and what is new in
    it.

    Addresses of ``kept`` stay as they are locked, or unlocked. Writes nothing. A pin that holds is kept with
    its evidence. Raises an :class:`ExceptionGroup` of
    :class:`BookError`, one for each address that means nothing.
    """
    old = PinLock.load(root)
    pins: dict[str, Pin] = {address: old.pin(address) for address in kept if address in old}
    anew: list[str] = []
    for address in used:
        locked = old.pin(address) if address in old else None
        if locked is not None and _holds(locked, sources):
            pins[address] = locked
        else:
            anew.append(address)
    wrong: list[BookError] = []
    paths = [Address.parse(address).path for address in anew]
    if isinstance(sources.witnesses, Libraries):
        with contextlib.suppress(BookError):  # said again by each address that needs them
            sources.witnesses.search(
                p for p in paths if PurePosixPath(p).suffix in COMPILED and sources.read(p) is None
            )
    for address in anew:
        try:
            pins[address] = resolve(address, sources)
        except BookError as error:
            wrong.append(error.at(*used[address]))
    if wrong:
        raise ExceptionGroup("addresses that mean nothing", wrong)
    new = PinLock(root, pins)
    changes = [
        Change(
            "changed" if address in old else "added",
            address,
            old.pin(address) if address in old else None,
            new.pin(address),
        )
        for address in new.addresses
        if address not in old or old.pin(address) != new.pin(address)
    ]
    changes += [
        Change("removed", address, old.pin(address), None) for address in old.addresses if address not in pins
    ]
    return new, changes


def _holds(locked: Pin, sources: Evidence) -> bool:
    """Whether a locked pin can stay as it is: true evidence, and none better here."""
    try:
        check(locked, sources.remembering(locked))
    except BookError:
        return False
    return not (locked.by_witness and sources.read(locked.address.path) is not None)


def _unlocked(error: BookError, address: str, sources: Evidence) -> BookError:
    """What is wrong with an address that is not locked: it cannot be, or nobody has yet."""
    try:
        resolve(address, sources)
    except BookError as meaningless:
        return meaningless
    error.nearest = ""  # it is spelt right
    return error


def uses_against(
    lock: PinLock, used: Mapping[str, Sequence[tuple[Path, int]]], sources: Evidence | None = None
) -> list[BookError]:
    """An error for each use that is not locked and for each pin that nothing uses.

    With ``sources`` an address that means nothing is told from one that is only new.
    """
    wrong = []
    for address, places in used.items():
        if address not in lock:
            try:
                lock.pin(address)
            except BookError as error:
                wrong.append((_unlocked(error, address, sources) if sources else error).at(*places[0]))
    for address in lock.addresses:
        if address not in used:
            wrong.append(
                BookError(
                    "pin-unused", f"no page uses {address}", "`inside-torch lock` removes it", file=lock.file
                )
            )
    return wrong
