"""Where functions of ``.cpp`` files begin and end, as found by comparing witnesses with texts of nearly the
same age.

``cpp_lines.tsv`` holds path, symbol, first and last line, confidence and how it was found. An entry is
evidence, not truth: a pin uses it only as far as the libraries' witnesses bear it out. ``exact``: the
distances between the witnesses on both sides are those of the text compared (no last line: only the first was
found). ``bounded``: the function's witnesses lie inside, its ends are not proven.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

TABLE = Path(__file__).with_name("cpp_lines.tsv")


@dataclass(frozen=True)
class Row:
    """``first`` and ``last`` (None where unknown) of a symbol, 1-based, inclusive."""

    path: str
    symbol: str
    first: int
    last: int | None
    confidence: str
    how: str


@cache
def rows() -> dict[str, tuple[Row, ...]]:
    """Path to its rows, by line."""
    found: dict[str, list[Row]] = {}
    for line in TABLE.read_text(encoding="utf-8").splitlines()[1:]:
        path, symbol, first, last, confidence, how = line.split("\t")
        row = Row(path, symbol, int(first), int(last) if last else None, confidence, how)
        found.setdefault(path, []).append(row)
    return {path: tuple(sorted(several, key=lambda row: row.first)) for path, several in found.items()}
