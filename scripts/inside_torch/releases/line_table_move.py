"""The line table of ``.cpp`` files (:mod:`inside_torch.pins.line_table`) moved to another release."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from inside_torch.pins.by_witness import inside_of
from inside_torch.pins.line_table import Row, rows
from inside_torch.pins.witness import Libraries, Witness


@dataclass(frozen=True)
class UnmovedRow:
    """A row whose lines no assertion of the other release bears out, and ``why``."""

    row: Row
    why: str


def moved(ours: Libraries, theirs: Libraries, version: str) -> tuple[list[Row], list[UnmovedRow]]:
    """The rows as they are in the other release, by path and line; and those whose lines are not known there.

    A row moves by as many lines as the assertions in it and the nearest on either side did, which must be the
    same for all of them. Where only those inside agree, its ends are no longer known. A row that is left
    stays in the table by its name, with a place that proves nothing.
    """
    table = rows()
    for libraries in (ours, theirs):
        libraries.search(table)
    found: list[Row] = []
    left: list[UnmovedRow] = []
    for path, several in table.items():
        before, after = ours.witnesses(path), theirs.witnesses(path)
        for row in several:
            new, why = _moved(row, before, after, version)
            found.append(new)
            left += [UnmovedRow(row, why)] if why else []
    return found, left


def _moved(row: Row, before: Sequence[Witness], after: Sequence[Witness], version: str) -> tuple[Row, str]:
    """The row in the other release, and why its lines are not known there, if they are not."""
    inside = inside_of(row, before)
    end = max([row.last or row.first, *(witness.line for witness in inside)])
    above = [witness for witness in before if witness.line < row.first][-1:]
    below = [witness for witness in before if witness.line > end][:1]
    around = [*above, *inside, *below]
    shift = _shift(around, after)
    if shift is not None and (inside or (above and below)):
        return _by(row, shift, row.confidence, len(around), version), ""
    shift = _shift(inside, after)
    if shift is not None:  # where it begins and ends may have moved otherwise
        return replace(_by(row, shift, "bounded", len(inside), version), last=None), ""
    near = next((found for one in around if (found := _shift([one], after)) is not None), 0)
    why = (
        "its assertions moved apart or are gone"
        if inside
        else "no assertion in it, and those around it do not tell"
    )
    how = f"lines not known in {version}: {why}"
    return replace(row, first=max(1, row.first + near), last=None, confidence="bounded", how=how), why


def _shift(wanted: Sequence[Witness], after: Sequence[Witness]) -> int | None:
    """By how many lines all of them moved, the least of those; None where one is lost or they moved apart."""
    possible = [
        {other.line - one.line for other in after if (other.function, other.text) == (one.function, one.text)}
        for one in wanted
    ]
    return min(set.intersection(*possible), key=abs, default=None) if possible else None


def _by(row: Row, shift: int, confidence: str, count: int, version: str) -> Row:
    how = f"{row.how}; {shift:+d} in {version}, as {count} assertions tell"
    last = row.last + shift if row.last is not None else None
    return replace(row, first=row.first + shift, last=last, confidence=confidence, how=how)
