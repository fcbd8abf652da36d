"""An address becomes lines: the one road of locking and verifying."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath
from typing import Protocol

from inside_torch.errors import BookError
from inside_torch.pins import by_witness, cpp, python_symbols, torchgen_yaml
from inside_torch.pins.address import Address
from inside_torch.pins.kept_symbols import symbols_of
from inside_torch.pins.line_table import rows
from inside_torch.pins.release import RELEASE, permalink
from inside_torch.pins.symbols import Symbol, narrow
from inside_torch.pins.tree import Tree
from inside_torch.pins.wheel import COMPILED, SourceFile, Wheel, nearest_paths
from inside_torch.pins.witness import Libraries, Witness

#: How a whole file's existence is known, where the wheel has no text of it.
IN_LIBRARY, IN_TREE = "named by a library", "in the source tree"


@dataclass(frozen=True)
class Pin:
    """An address at the pinned commit: lines ``first`` to ``last`` (1-based, inclusive; None for a whole
    file).

    ``evidence`` is ``text`` (the wheel holds the lines), ``tree`` (a checkout does), ``witness`` (the wheel's
    libraries remember lines of it) or ``file`` (a whole file, which exists). ``witnesses`` lie in the range,
    ``around`` on either side of it; ``note`` says how they prove it. ``digest`` is that of the lines, or of
    the witnesses.
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
    def by_witness(self) -> bool:
        """Whether the wheel's libraries, and no text, are what proves it."""
        return self.evidence == "witness" or self.note in (IN_LIBRARY, by_witness.UNPROVEN)

    @property
    def by_tree(self) -> bool:
        """Whether a checkout's text is what proves it."""
        return self.evidence == "tree" or self.note == IN_TREE

    @property
    def lines(self) -> str:
        if self.first is None:
            return "the whole file"
        return f"line {self.first}" if self.first == self.last else f"lines {self.first}-{self.last}"


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
class Evidence:
    """Where evidence comes from. A file is read and parsed once."""

    wheel: Wheel
    tree: Tree | None = None
    witnesses: WitnessSource | None = None

    def __post_init__(self) -> None:
        self._symbols: dict[str, list[Symbol]] = {}

    @classmethod
    def here(cls, tree: Path | None = None, *, fetched: bool = True) -> Evidence:
        """The wheel and libraries of this environment, and the checkout that is given or fetched, if any."""
        wheel = Wheel.find()
        return cls(wheel, Tree.given(tree, fetched=fetched), Libraries(wheel.libraries))

    def remembering(self, pin: Pin) -> Evidence:
        """The same, but for witnesses only those that the pin was locked with."""
        other = replace(self, witnesses=Remembered(pin))
        other._symbols = self._symbols
        return other

    def read(self, path: str) -> SourceFile | None:
        """The file's text, from the wheel or else from the tree."""
        return self.wheel.read(path) or (self.tree.read(path) if self.tree else None)

    def symbols(self, source: SourceFile) -> list[Symbol]:
        if source.path not in self._symbols:
            self._symbols[source.path] = symbols_of(source)
        return self._symbols[source.path]


def digest(lines: Iterable[str]) -> str:
    """16 hexadecimal digits of the SHA-256 of the lines."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def resolve(address: Address | str, sources: Evidence) -> Pin:
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


def _from_text(address: Address, source: SourceFile, sources: Evidence) -> Pin:
    if address.symbol is None and address.text is None:
        note = IN_TREE if source.evidence == "tree" else ""
        return Pin(address, None, None, "file", digest(source.lines), source.generated, note=note)
    if address.symbol is None:
        ranges = [(1, len(source.lines))]
    else:
        choose = {"python": python_symbols.choose, "yaml": torchgen_yaml.choose}.get(
            source.language, cpp.choose
        )
        ranges = [(symbol.first, symbol.last) for symbol in choose(address, sources.symbols(source))]
    known = _witnesses(address, sources) if source.evidence == "tree" else ()
    first, last = _narrow(address, source, ranges, known) if address.text else ranges[0]
    held = tuple(witness for witness in known if first <= witness.line <= last)
    lines = source.lines[first - 1 : last]
    return Pin(address, first, last, source.evidence, digest(lines), source.generated, held)


def _witnesses(address: Address, sources: Evidence) -> tuple[Witness, ...]:
    """Those of a file whose text is known: none where no library can be searched, for none is needed."""
    try:
        return sources.witnesses.witnesses(address.path) if sources.witnesses else ()
    except BookError:
        return ()


def hold_inside_tree(locked: Pin, found: Pin) -> None:
    """Lines that witnesses prove lie in those that a tree shows, which `lock` takes in their place."""
    if locked.first is None or locked.last is None or found.first is None or found.last is None:
        return
    if not found.first <= locked.first <= locked.last <= found.last:
        raise BookError(
            "pin-moved",
            f"{locked.address}: {locked.lines} in the lock, {found.lines} in the source tree",
            "lines inside those of the tree",
        )


def _narrow(
    address: Address, source: SourceFile, ranges: Sequence[tuple[int, int]], known: Sequence[Witness]
) -> tuple[int, int]:
    """The line that holds the address's text; in a tree also the line whose assertion does.

    So an address that was written for a witness means the same line once there is a tree.
    """
    try:
        return narrow(address, source.lines, ranges)
    except BookError:
        inside = [w for w in known if any(first <= w.line <= last for first, last in ranges)]
        asserted = [witness.line for witness in inside if address.text and address.text in witness.text]
        if len(asserted) != 1:
            raise
        return asserted[0], asserted[0]


def _from_witnesses(address: Address, sources: Evidence) -> Pin:
    known = sources.witnesses.witnesses(address.path) if sources.witnesses else ()
    libraries = sources.witnesses if isinstance(sources.witnesses, Libraries) else None
    if not known and libraries is not None:
        if libraries.lacks(address.path):
            raise BookError(
                "witness-cuda",
                f"the witnesses of {address.path} are in the CUDA build's libraries, and this is a CPU build",
                f"the CUDA build of torch {RELEASE}, or a source tree (--tree)",
            )
        if address.path not in libraries.mentioned:
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
            IN_LIBRARY,
        )
    found = by_witness.prove(address, known)
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


def _unknown_file(address: Address, sources: Evidence) -> BookError:
    known = set(sources.tree.paths() if sources.tree else sources.wheel.paths()) | set(rows())
    if isinstance(sources.witnesses, Libraries):
        with contextlib.suppress(BookError):
            known.update(path for path in sources.witnesses.mentioned if path.endswith(COMPILED))
    known.discard(address.path)
    return BookError(
        "pin-file",
        f"no evidence of a file {address.path}",
        "a path in the PyTorch repository that the wheel holds, its libraries name, or a tree (--tree) has",
        nearest_paths(address.path, sorted(known)),
    )
