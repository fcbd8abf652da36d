"""The line table of ``.cpp`` files (:mod:`inside_torch.pins.line_table`) moved to another release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inside_torch.pins.line_table import Row, rows
from inside_torch.pins.witness import Libraries, Witness


@dataclass(frozen=True)
class Left:
    """A row that no assertion of the other release bears out, and ``why``."""

    row: Row
    why: str


def moved(ours: Libraries, theirs: Libraries, version: str) -> tuple[list[Row], list[Left]]:
    """The rows as they are in the other release, by path and line, and those that cannot be said to be there.

    A row moves by as many lines as the assertions in it and the nearest on either side did, which must be the
    same for all of them. Where only those inside agree, its ends are no longer exact.
    """
    table = rows()
    for libraries in (ours, theirs):
        libraries.search(table)
    kept: list[Row] = []
    left: list[Left] = []
    for path, several in table.items():
        before, after = ours.witnesses(path), theirs.witnesses(path)
        for row in several:
            found = _moved(row, before, after, version)
            (kept if isinstance(found, Row) else left).append(found)  # type: ignore[arg-type]
    return kept, left


def _moved(row: Row, before: Sequence[Witness], after: Sequence[Witness], version: str) -> Row | Left:
    last = row.last or row.first
    inside = [witness for witness in before if row.first <= witness.line <= last]
    above = [witness for witness in before if witness.line < row.first][-1:]
    below = [witness for witness in before if witness.line > last][:1]
    if not (inside or above or below):
        return Left(row, "no assertion of the file is known")
    shifts = _shifts([*above, *inside, *below], after)
    if len(shifts) == 1 and (inside or (above and below)):
        return _by(row, shifts.pop(), row.confidence, len(above + inside + below), version)
    shifts = _shifts(inside, after) if inside else set()
    if len(shifts) == 1:
        return _by(row, shifts.pop(), "bounded", len(inside), version)
    return Left(row, "its assertions are not there" if not shifts else "its assertions moved apart")


def _shifts(wanted: Sequence[Witness], after: Sequence[Witness]) -> set[int]:
    """By how many lines all of them moved alike, the least of those; nothing where one is lost or they did
    not.
    """
    possible = [
        {other.line - one.line for other in after if (other.function, other.text) == (one.function, one.text)}
        for one in wanted
    ]
    common = set.intersection(*possible) if possible else set()
    return {min(common, key=abs)} if common else set()


def _by(row: Row, shift: int, confidence: str, count: int, version: str) -> Row:
    how = f"{row.how}; {shift:+d} in {version}, as {count} assertions tell"
    last = row.last + shift if row.last is not None else None
    return replace(row, first=row.first + shift, last=last, confidence=confidence, how=how)


def text(table: Sequence[Row]) -> str:
    """The file that :func:`inside_torch.pins.line_table.rows` reads."""
    head = "path\tsymbol\tfirst\tlast\tconfidence\thow\n"
    return head + "".join(
        f"{row.path}\t{row.symbol}\t{row.first}\t{row.last or ''}\t{row.confidence}\t{row.how}\n"
        for row in table
    )
