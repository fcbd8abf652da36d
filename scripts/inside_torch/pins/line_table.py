"""Where functions of ``.cpp`` files begin and end, as found by comparing witnesses with texts of nearly the
same age.

``cpp_lines.tsv`` holds path, symbol, first and last line, confidence and how it was found. An entry is
evidence, not truth: a pin uses it only as far as the libraries' witnesses bear it out. ``exact``: the
distances between the witnesses on both sides are those of the text compared (no last line: only the first was
found). ``bounded``: the function's witnesses lie inside, its ends are not proven.

No run can find a row again, so the table's first line is a digest of its rows, and an edited one is refused.
A row is added by measuring it, and by writing the whole with :func:`text`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from functools import cache
from pathlib import Path

from inside_torch.digest import digest_of
from inside_torch.errors import BookError

TABLE = Path(__file__).with_name("cpp_lines.tsv")
_COLUMNS = "path\tsymbol\tfirst\tlast\tconfidence\thow"


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
    """Path to its rows, by line; raises :class:`BookError` (rule ``line-table``) where it was edited."""
    seal, _, *lines = TABLE.read_text(encoding="utf-8").splitlines()
    table = []
    for number, line in enumerate(lines, start=3):
        try:
            path, symbol, first, last, confidence, how = line.split("\t")
            table.append(Row(path, symbol, int(first), int(last) if last else None, confidence, how))
        except ValueError:
            raise BookError(
                "line-table", f"the row {line!r}", "six columns with tabs between", file=TABLE, line=number
            ) from None
    if seal != _seal(table):
        raise BookError(
            "line-table",
            "rows that are not those that were measured: the digest above them is of others",
            "the table as it was released; `inside-torch repin` writes that of another release",
            file=TABLE,
            line=1,
        )
    found: dict[str, list[Row]] = {}
    for row in table:
        found.setdefault(row.path, []).append(row)
    return {path: tuple(sorted(several, key=lambda row: row.first)) for path, several in found.items()}


def text(table: Iterable[Row]) -> str:
    """The file that :func:`rows` reads."""
    table = list(table)
    lines = ("\t".join("" if value is None else str(value) for value in astuple(row)) for row in table)
    return "\n".join([_seal(table), _COLUMNS, *lines]) + "\n"


def _seal(table: Iterable[Row]) -> str:
    return f"# digest {digest_of([astuple(row) for row in table])}"
