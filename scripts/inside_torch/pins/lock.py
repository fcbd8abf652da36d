"""What every address means at the pinned commit and what proves it: resolving, and the file ``pins.lock``."""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import json
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, Protocol

from inside_torch.errors import BookError, nearest
from inside_torch.pins import cpp, proof, python, yaml
from inside_torch.pins.address import Address
from inside_torch.pins.line_table import rows
from inside_torch.pins.release import COMMIT, RELEASE, permalink
from inside_torch.pins.symbols import Symbol, narrow
from inside_torch.pins.tree import Tree
from inside_torch.pins.wheel import COMPILED, SourceFile, Wheel, nearest_paths
from inside_torch.pins.witness import Libraries, Witness

FILE = "pins.lock"
EVIDENCE = ("text", "witness", "tree", "file")


@dataclass(frozen=True)
class Pin:
    """An address at the pinned commit: lines ``first`` to ``last`` (1-based, inclusive; None for a whole file).

    ``evidence`` is ``text`` (the wheel holds the lines), ``tree`` (a checkout does), ``witness`` (the wheel's libraries
    remember lines of it) or ``file`` (a whole file, which exists). ``witnesses`` lie in the range, ``around`` on either
    side of it; ``note`` says how they prove it. ``digest`` is that of the lines, or of the witnesses.
    """

    address: Address
    first: int | None
    last: int | None
    evidence: str
    digest: str
    generated: bool = False
    witnesses: tuple[Witness, ...] = ()
    around: tuple[Witness, ...] = ()
    note: str = ""

    @property
    def permalink(self) -> str | None:
        """The lines on GitHub at the commit; None for a generated file, which is in no repository."""
        return None if self.generated else permalink(self.address.path, self.first, self.last)

    @property
    def lines(self) -> str:
        if self.first is None:
            return "the whole file"
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}-{self.last}"


@dataclass(frozen=True)
class Excerpt:
    """Lines ``first`` and following of a file, at their numbers in the repository."""

    first: int
    lines: list[str]
    language: str


class WitnessSource(Protocol):
    """Something that knows witnesses by file: the wheel's libraries, or what the lock remembers of them."""

    def witnesses(self, path: str) -> tuple[Witness, ...]: ...


class Remembered:
    """The witnesses that a lock holds for one pin."""

    def __init__(self, pin: Pin) -> None:
        self.pin = pin

    def witnesses(self, path: str) -> tuple[Witness, ...]:
        return tuple(sorted({*self.pin.witnesses, *self.pin.around}))


@dataclass
class Sources:
    """Where evidence comes from. A file is read and parsed once."""

    wheel: Wheel
    tree: Tree | None = None
    witnesses: WitnessSource | None = None

    def __post_init__(self) -> None:
        self._symbols: dict[str, list[Symbol]] = {}

    @classmethod
    def here(cls, tree: Path | None = None) -> Sources:
        """The wheel and libraries of this environment, and the checkout that is given or fetched, if any."""
        wheel = Wheel.find()
        return cls(wheel, Tree.given(tree), Libraries(wheel.libraries))

    def remembering(self, pin: Pin) -> Sources:
        """The same, but for witnesses only those that the pin was locked with."""
        other = replace(self, witnesses=Remembered(pin))
        other._symbols = self._symbols
        return other

    def read(self, path: str) -> SourceFile | None:
        """The file's text, from the wheel or else from the tree."""
        return self.wheel.read(path) or (self.tree.read(path) if self.tree else None)

    def symbols(self, source: SourceFile) -> list[Symbol]:
        if source.path not in self._symbols:
            match source.language:
                case "python":
                    found = python.symbols(source.text, source.path)
                case "yaml":
                    found = yaml.symbols(source.lines)
                case _:
                    found = cpp.symbols(source.text)
            self._symbols[source.path] = found
        return self._symbols[source.path]


def digest(lines: Iterable[str]) -> str:
    """16 hexadecimal digits of the SHA-256 of the lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def resolve(address: Address | str, sources: Sources) -> Pin:
    """What the address means, from the best evidence there is; raises :class:`BookError`.

    The one road of locking and verifying: they differ only in where the witnesses come from.
    """
    address = Address.of(address)
    source = sources.read(address.path)
    if source is not None:
        return _from_text(address, source, sources)
    if PurePosixPath(address.path).suffix in COMPILED:
        return _from_witnesses(address, sources)
    raise _unknown_file(address, sources)


def _from_text(address: Address, source: SourceFile, sources: Sources) -> Pin:
    if address.symbol is None and address.text is None:
        return Pin(address, None, None, "file", digest(source.lines), source.generated)
    if address.symbol is None:
        ranges = [(1, len(source.lines))]
    else:
        choose = {"python": python.choose, "yaml": yaml.choose}.get(source.language, cpp.choose)
        ranges = [(symbol.first, symbol.last) for symbol in choose(address, sources.symbols(source))]
    first, last = narrow(address, source.lines, ranges) if address.text else ranges[0]
    held: tuple[Witness, ...] = ()
    if source.evidence == "tree" and sources.witnesses is not None:
        try:
            held = tuple(w for w in sources.witnesses.witnesses(address.path) if first <= w.line <= last)
        except BookError:  # libraries of a platform that cannot be searched: the text needs no witness
            held = ()
    return Pin(
        address, first, last, source.evidence, digest(source.lines[first - 1 : last]), source.generated, held
    )


def _from_witnesses(address: Address, sources: Sources) -> Pin:
    known = sources.witnesses.witnesses(address.path) if sources.witnesses else ()
    libraries = sources.witnesses if isinstance(sources.witnesses, Libraries) else None
    if not known and libraries is not None:
        if proof.cuda_only(address.path) and not libraries.cuda:
            raise BookError(
                "witness-cuda",
                f"the witnesses of {address.path} are in the CUDA build's libraries, and this is a CPU build",
                f"the CUDA build of torch {RELEASE}, or a source tree (--tree)",
            )
        if address.path not in libraries.mentioned():
            raise _unknown_file(address, sources)
    if address.symbol is None and address.text is None:
        return Pin(
            address,
            None,
            None,
            "file",
            _witness_digest(known[:1]),
            False,
            known[:1],
            (),
            "named by a library",
        )
    found = proof.prove(address, known)
    if found.first is None:
        name = cpp.split(address.symbol or "")[0]
        if libraries is not None and not libraries.defines(name):
            raise BookError(
                "pin-unproven",
                f"no library of the wheel has {address.symbol!r} of {address.path}",
                "a symbol with an assertion in it, the whole file, or a source tree (--tree)",
            )
        return Pin(address, None, None, "file", _witness_digest(()), note=found.how)
    proven = _witness_digest((*found.witnesses, *found.around))
    return Pin(
        address, found.first, found.last, "witness", proven, False, found.witnesses, found.around, found.how
    )


def _witness_digest(witnesses: Iterable[Witness]) -> str:
    return digest(f"{witness.line} {witness.function} {witness.text}" for witness in witnesses)


def _unknown_file(address: Address, sources: Sources) -> BookError:
    known = set(sources.tree.paths() if sources.tree else sources.wheel.paths()) | set(rows())
    if isinstance(sources.witnesses, Libraries):
        with contextlib.suppress(BookError):
            known.update(sources.witnesses.mentioned())
    known.discard(address.path)
    return BookError(
        "pin-file",
        f"no evidence of a file {address.path}",
        "a path in the PyTorch repository that the wheel holds, its libraries name, or a tree (--tree) has",
        nearest_paths(address.path, sorted(known)),
    )


class PinLock:
    """The file ``pins.lock`` at the repository's root."""

    def __init__(self, root: Path, pins: Mapping[str, Pin]) -> None:
        self.root = root
        self._pins = dict(sorted(pins.items()))

    @property
    def file(self) -> Path:
        return self.root / FILE

    @classmethod
    def load(cls, root: Path) -> PinLock:
        """Reads the lock, empty where there is no file; raises :class:`BookError` where it is not one of ours."""
        file = root / FILE
        try:
            text = file.read_text(encoding="utf-8")
        except FileNotFoundError:
            return cls(root, {})
        except (OSError, UnicodeDecodeError) as error:
            raise BookError("lock-form", f"the lock cannot be read: {error}", file=file) from None
        try:
            data = json.loads(text)
        except ValueError as error:
            line = getattr(error, "lineno", None)
            raise BookError(
                "lock-form", f"no JSON: {error}", "`inside-torch lock` writes it", file=file, line=line
            ) from None
        if not isinstance(data, dict) or not isinstance(data.get("pins"), dict):
            raise BookError("lock-form", "no mapping of pins", "`inside-torch lock` writes it", file=file)
        if (data.get("release"), data.get("commit")) != (RELEASE, COMMIT):
            raise BookError(
                "lock-release",
                f"a lock of {data.get('release')} at {data.get('commit')}",
                f"{RELEASE} at {COMMIT}",
                file=file,
            )
        pins = {}
        for number, (written, record) in enumerate(data["pins"].items()):
            try:
                pins[written] = _pin(written, record)
            except (BookError, KeyError, TypeError, ValueError) as error:
                line = 1 + text[: text.find(json.dumps(written, ensure_ascii=False))].count("\n")
                raise BookError(
                    "lock-form",
                    f"pin {number + 1}, {written!r}: {error}",
                    "`inside-torch lock` writes it",
                    file=file,
                    line=line,
                ) from None
        return cls(root, pins)

    def save(self) -> None:
        """Writes the file whole: to a temporary one beside it, then in its place."""
        lines = [
            f"{json.dumps(address, ensure_ascii=False)}: {json.dumps(_record(pin), ensure_ascii=False)}"
            for address, pin in self._pins.items()
        ]
        body = ",\n".join(lines)
        text = f'{{\n"release": "{RELEASE}",\n"commit": "{COMMIT}",\n"pins": {{\n{body}\n}}\n}}\n'
        with tempfile.NamedTemporaryFile(
            "w", dir=self.root, prefix=".pins.lock.", delete=False, encoding="utf-8", newline="\n"
        ) as out:
            out.write(text)
        os.chmod(out.name, 0o644)
        os.replace(out.name, self.file)

    @property
    def addresses(self) -> list[str]:
        """Every locked address in its canonical form, sorted."""
        return list(self._pins)

    def __iter__(self) -> Iterator[Pin]:
        return iter(self._pins.values())

    def __len__(self) -> int:
        return len(self._pins)

    def __contains__(self, address: Address | str) -> bool:
        return str(Address.of(address)) in self._pins

    def pin(self, address: Address | str) -> Pin:
        """The locked pin; raises :class:`BookError` with the nearest one where the address is not locked."""
        written = str(Address.of(address))
        if written not in self._pins:
            raise BookError(
                "pin-not-locked", f"{written} is not in {FILE}", "a locked address; `inside-torch lock` adds it",
                nearest(written, self._pins),
            )  # fmt: skip
        return self._pins[written]

    @cached_property
    def _sources(self) -> Sources:
        wheel = Wheel.find()
        return Sources(wheel, Tree.given(None) if any(pin.evidence == "tree" for pin in self) else None)

    def excerpt(self, address: Address | str) -> Excerpt | None:
        """The pinned lines, held against the locked digest; None where neither wheel nor tree has their text."""
        pin = self.pin(address)
        source = self._sources.read(pin.address.path)
        if source is None or pin.first is None or pin.last is None:
            return None
        lines = source.lines[pin.first - 1 : pin.last]
        if pin.evidence in ("text", "tree") and digest(lines) != pin.digest:
            raise BookError(
                "pin-changed",
                f"{pin.lines} of {pin.address} are not what was locked",
                "`inside-torch verify` says how",
            )
        return Excerpt(pin.first, list(lines), source.language) if pin.evidence != "witness" else None


def _record(pin: Pin) -> dict[str, Any]:
    record: dict[str, Any] = {
        "first": pin.first,
        "last": pin.last,
        "evidence": pin.evidence,
        "digest": pin.digest,
    }
    if pin.generated:
        record["generated"] = True
    for name in ("witnesses", "around"):
        if several := getattr(pin, name):
            record[name] = [
                [witness.line, witness.function, witness.text, witness.within] for witness in several
            ]
    if pin.note:
        record["note"] = pin.note
    return record


def _pin(written: str, record: Any) -> Pin:
    address = Address.parse(written)
    if str(address) != written:
        raise ValueError(f"the canonical form is {address}")
    if not isinstance(record, dict):
        raise TypeError("no mapping")
    first, last = record["first"], record["last"]
    evidence, text_digest = record["evidence"], record["digest"]
    whole = first is None and last is None and evidence == "file"
    if not whole and not (type(first) is int and type(last) is int and 1 <= first <= last):
        raise ValueError(f"lines {first!r} to {last!r}")
    if evidence not in EVIDENCE or (evidence == "file") != (first is None):
        raise ValueError(f"evidence {evidence!r}")
    if not isinstance(text_digest, str):
        raise TypeError("no digest")
    several = {
        name: tuple(_witness(entry) for entry in record.get(name, ())) for name in ("witnesses", "around")
    }
    return Pin(
        address, first, last, evidence, text_digest, record.get("generated") is True, **several,
        note=str(record.get("note", "")),
    )  # fmt: skip


def _witness(entry: Any) -> Witness:
    line, function, text, within = entry
    if type(line) is not int or not all(isinstance(part, str) for part in (function, text, within)):
        raise TypeError(f"witness {entry!r}")
    return Witness(line, function, text, within)


def check(locked: Pin, sources: Sources) -> None:
    """Resolves a pin again and raises :class:`BookError` where the lock says otherwise.

    Witnesses are those of ``sources``: what the lock remembers (:meth:`Sources.remembering`), or the libraries.
    """
    if locked.evidence == "tree" and sources.read(locked.address.path) is None:
        outside = [w for w in locked.witnesses if not locked.first <= w.line <= locked.last]  # type: ignore[operator]
        if outside:
            raise BookError(
                "pin-moved", f"{locked.address}: its witness of line {outside[0].line} is outside {locked.lines}",
                "witnesses inside the pinned lines",
            )  # fmt: skip
        return
    found = resolve(locked.address, sources)
    if (found.first, found.last) != (locked.first, locked.last):
        raise BookError(
            "pin-moved",
            f"{locked.address}: {locked.lines} in the lock, {found.lines} now{_difference(locked, found, sources)}",
            "`inside-torch lock`, once the page agrees with the new lines",
        )
    if locked.evidence == "witness" and found.evidence == "tree":
        return  # better evidence, the same lines: nothing is wrong, and `lock` will say so
    if (found.evidence, found.generated) != (locked.evidence, locked.generated):
        raise BookError(
            "pin-changed",
            f"{locked.address}: evidence {locked.evidence} in the lock, {found.evidence} now",
            "`inside-torch lock`",
        )
    if isinstance(sources.witnesses, Libraries) and found.evidence != "text":
        _hold_witnesses(locked, found, sources.witnesses)
    elif found.digest != locked.digest:
        what = "witnesses" if locked.evidence == "witness" else "text"
        shown = _shown(found, sources)
        raise BookError(
            "pin-changed",
            f"{locked.address}: the {what} of {locked.lines} changed (digest {locked.digest} in the lock, {found.digest} now)"
            f"{shown}",
            "`inside-torch lock`, once the page agrees with what stands there now",
        )


def _hold_witnesses(locked: Pin, found: Pin, libraries: Libraries) -> None:
    """Every locked witness must be found again; a build may remember more of them, or no message."""
    now = {witness.line: witness for witness in libraries.witnesses(locked.address.path)}
    for witness in (*locked.witnesses, *locked.around):
        again = now.get(witness.line)
        if again is None:
            close = min(now, key=lambda line: abs(line - witness.line), default=None)
            raise BookError(
                "pin-changed", f"{locked.address}: no library has a witness of line {witness.line} ({witness.text[:80]!r})",
                "the witnesses in the lock", f"line {close}: {now[close].text[:80]}" if close else "",
            )  # fmt: skip
        same = not (witness.function and again.function) or witness.function == again.function
        if not same or (witness.text and again.text and not _alike(witness.text, again.text)):
            raise BookError(
                "pin-changed", f"{locked.address}: line {witness.line} has the witness {again.function}: {again.text[:80]!r}",
                f"{witness.function}: {witness.text[:80]!r}",
            )  # fmt: skip


def _alike(one: str, other: str) -> bool:
    """One text, or two parts of one message: which part stands nearest differs between builds."""
    return one == other or one in other or other in one


def _difference(locked: Pin, found: Pin, sources: Sources) -> str:
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


def _shown(found: Pin, sources: Sources) -> str:
    source = sources.read(found.address.path)
    if source is None or found.first is None or found.last is None:
        return "".join(f"\n    line {w.line}: {w.function}: {w.text[:90]}" for w in found.witnesses[:6])
    return "".join(
        f"\n    {number}: {source.lines[number - 1][:100]}"
        for number in range(found.first, min(found.last, found.first + 4) + 1)
    )


def verify(lock: PinLock, sources: Sources, *, witnesses: bool = False) -> tuple[list[BookError], list[str]]:
    """Every pin held against its sources: what is wrong, and what could not be held against anything here.

    ``witnesses`` searches the libraries again; otherwise a pin is held against the witnesses that it was locked with.
    """
    wrong: list[BookError] = []
    notes: list[str] = []
    libraries = sources.witnesses
    if witnesses and isinstance(libraries, Libraries):
        libraries.search(pin.address.path for pin in lock if pin.witnesses)
    for pin in lock:
        held = sources.remembering(pin)
        if witnesses and pin.evidence != "text" and isinstance(libraries, Libraries):
            if (
                pin.witnesses
                and proof.cuda_only(pin.address.path)
                and not libraries.witnesses(pin.address.path)
            ):
                notes.append(
                    f"{pin.address}: its witnesses are in the CUDA build's libraries; not searched on this build"
                )
            else:
                held = sources
        if pin.evidence == "tree" and sources.read(pin.address.path) is None:
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
    root: Path, used: Mapping[str, tuple[Path, int]], sources: Sources
) -> tuple[PinLock, list[Change]]:
    """The lock that these addresses need (used: address to the first place that uses it), and what is new in it.

    Writes nothing. A pin that holds is kept with its evidence. Raises an :class:`ExceptionGroup` of
    :class:`BookError`, one for each address that means nothing.
    """
    old = PinLock.load(root)
    pins: dict[str, Pin] = {}
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


def _holds(locked: Pin, sources: Sources) -> bool:
    """Whether a locked pin can stay as it is: true evidence, and none better here."""
    try:
        check(locked, sources.remembering(locked))
    except BookError:
        return False
    return not (locked.evidence == "witness" and sources.read(locked.address.path) is not None)


def uses_against(lock: PinLock, used: Mapping[str, Sequence[tuple[Path, int]]]) -> list[BookError]:
    """An error for each use that is not locked and for each pin that nothing uses."""
    wrong = []
    for address, places in used.items():
        if address not in lock:
            try:
                lock.pin(address)
            except BookError as error:
                wrong.append(error.at(*places[0]))
    for address in lock.addresses:
        if address not in used:
            wrong.append(
                BookError(
                    "pin-unused", f"no page uses {address}", "`inside-torch lock` removes it", file=lock.file
                )
            )
    return wrong
