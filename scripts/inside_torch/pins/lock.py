"""The file ``pins.lock``: what every address means at the pinned commit and what proves it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from inside_torch.errors import BookError, nearest
from inside_torch.files import write_whole
from inside_torch.pins.address import Address
from inside_torch.pins.release import COMMIT, RELEASE
from inside_torch.pins.resolve import Evidence, Pin, digest, hold_inside_tree, resolve
from inside_torch.pins.tree import LOG, Tree
from inside_torch.pins.wheel import Wheel
from inside_torch.pins.witness import Witness

__all__ = ["EVIDENCE", "FILE", "Evidence", "Excerpt", "Pin", "PinLock", "resolve"]

FILE = "pins.lock"
EVIDENCE = ("text", "witness", "tree", "file")


@dataclass(frozen=True)
class Excerpt:
    """Lines ``first`` and following of a file, at their numbers in the repository."""

    first: int
    lines: list[str]
    language: str


class PinLock:
    """The file ``pins.lock`` at the repository's root."""

    def __init__(self, root: Path, pins: Mapping[str, Pin]) -> None:
        self.root = root
        self._pins = dict(sorted(pins.items()))
        self._shown: dict[str, Pin] = {}

    @property
    def file(self) -> Path:
        return self.root / FILE

    @classmethod
    def load(cls, root: Path) -> PinLock:
        """Reads the lock, empty where there is no file; raises :class:`BookError` where it is not one of
        ours.
        """
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
        try:
            write_whole(self.file, text)
        except OSError as error:
            raise BookError("lock-write", f"the lock cannot be written: {error}", file=self.file) from None

    @property
    def compiled(self) -> list[str]:
        """The pinned files, repository paths, that the wheel holds in no other form than compiled."""
        return sorted({pin.address.path for pin in self if pin.by_witness or pin.by_tree})

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
                "pin-not-locked",
                f"{written} is not in {FILE}",
                "a locked address; `inside-torch lock` adds it",
                nearest(written, self._pins),
            )
        return self._pins[written]

    @cached_property
    def _sources(self) -> Evidence:
        return Evidence(Wheel.find(), Tree.given(None, fetched=any(pin.evidence == "tree" for pin in self)))

    def shown(self, address: Address | str) -> Pin:
        """The pin as pages show it: the locked one, or where only witnesses prove that and a source tree is
        named, its lines in the tree. Where the tree contradicts the lock, that is told, once.
        """
        pin = self.pin(address)
        if not pin.by_witness or pin.address == Address(pin.address.path) or self._sources.tree is None:
            return pin
        address = str(pin.address)
        if address not in self._shown:
            self._shown[address] = pin
            if self._sources.tree.read(pin.address.path) is not None:
                try:
                    found = resolve(pin.address, self._sources.remembering(pin))
                    hold_inside_tree(pin, found)
                    self._shown[address] = found
                except BookError as error:
                    LOG.warning("%s", error)
        return self._shown[address]

    def excerpt(self, address: Address | str) -> Excerpt | None:
        """The pinned lines, held against the locked digest; None where nothing here has their text."""
        pin = self.shown(address)
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
        address,
        first,
        last,
        evidence,
        text_digest,
        record.get("generated") is True,
        **several,
        note=str(record.get("note", "")),
    )


def _witness(entry: Any) -> Witness:
    line, function, text, within = entry
    if type(line) is not int or not all(isinstance(part, str) for part in (function, text, within)):
        raise TypeError(f"witness {entry!r}")
    return Witness(line, function, text, within)
