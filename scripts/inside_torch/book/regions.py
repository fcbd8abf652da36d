"""The lines of a snippet that a page shows: all, or those from ``# region`` to ``# endregion``."""

from __future__ import annotations

import re
from pathlib import Path

from inside_torch.errors import BookError, nearest

Lines = list[tuple[int, str]]

_REGION = re.compile(r"^\s*(?:#|//)\s*region\s+(?P<name>[\w-]+)\s*$")
_END = re.compile(r"^\s*(?:#|//)\s*endregion(?:\s+(?P<name>[\w-]+))?\s*$")


def shown(file: Path, section: str = "") -> Lines:
    """The lines of a file, or of a section of it, with their numbers: without the markers, the blank lines at
    both ends, and more than two blank lines in a row.
    """
    numbered = list(enumerate(file.read_text(encoding="utf-8").splitlines(), 1))
    if section:
        first, last = _section(file, numbered, section)
        numbered = numbered[first - 1 : last]
    kept: Lines = []
    for number, text in numbered:
        if _REGION.match(text) or _END.match(text):
            continue
        if text.strip() or (kept and any(line.strip() for _, line in kept[-2:])):
            kept.append((number, text))
    while kept and not kept[-1][1].strip():
        kept.pop()
    if not kept:
        raise _wrong(f"no line to show in {section or 'all'} of {file.name}", "at least one line")
    return kept


def _section(file: Path, numbered: Lines, section: str) -> tuple[int, int]:
    """First and last line between the markers of a section; every section of the file must be well formed."""
    found: dict[str, tuple[int, int]] = {}
    open_: list[tuple[str, int]] = []
    for number, text in numbered:
        here = f"on line {number} of {file.name}"
        if match := _REGION.match(text):
            if match["name"] in found or any(match["name"] == name for name, _ in open_):
                raise _wrong(f"the region `{match['name']}` twice, {here}", "once")
            open_.append((match["name"], number))
        elif match := _END.match(text):
            if not open_:
                raise _wrong(f"an endregion with no region, {here}", "# region …")
            name, start = open_.pop()
            if match["name"] and match["name"] != name:
                raise _wrong(f"endregion {match['name']}, {here}", f"endregion {name}")
            found[name] = (start + 1, number - 1)
    if open_:
        name, start = open_[-1]
        raise _wrong(f"the region `{name}`, on line {start} of {file.name}, with no end", "# endregion")
    if section not in found:
        known = ", ".join(found) or "none: the file has no regions"
        raise _wrong(f"no region `{section}` in {file.name}", f"one of {known}", nearest(section, found))
    return found[section]


def _wrong(found: str, expected: str, near: str = "") -> BookError:
    return BookError("program-section", found, expected, near)
