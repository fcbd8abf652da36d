"""Numbers that a fence has drawn: the tables that its program printed or measured, as a picture takes them.

A printed table is a line of column names and a line for each row, with two blanks or more between cells. A
blank line ends it; a line above it that ends with a colon is its title. Measured numbers whose names have a
slash are one table: row before the last slash, column behind it. ``roof/1/x`` and ``roof/2/x`` are two rows
called ``roof``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from inside_torch.book.fence_kinds import Drawing, MeasurementsFence, OutputFence
from inside_torch.book.recording import Output, Program, Results
from inside_torch.errors import BookError

#: What a cell holds where there is no value.
NOTHING = "-"
#: The columns that hold numbers, from and to.
_NUMBERS = {"curves": (0, None), "steps": (0, None), "points": (1, None), "grid": (1, None), "blocks": (1, 3)}
_TITLE = re.compile(r"^\S.*:$")


@dataclass(frozen=True)
class Table:
    """Cells as they were printed; each row has as many as there are columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def number(self, row: int, column: int) -> float | None:
        """The value of a cell, None where it holds nothing; :class:`BookError` where it is no number."""
        cell = self.rows[row][column]
        if cell == NOTHING:
            return None
        try:
            return float(cell.replace(",", ""))
        except ValueError:
            found = f"`{cell}` in the column `{self.columns[column]}`"
            raise BookError("picture-table", found, f"a number, or {NOTHING}") from None


@dataclass(frozen=True)
class Picture:
    """What is drawn: how, and of which numbers."""

    drawing: Drawing
    tables: tuple[Table, ...]


def picture(root: Path, block: OutputFence | MeasurementsFence) -> Picture:
    """What a fence has drawn; :class:`BookError` (rule ``picture-table``) where it cannot be."""
    assert block.drawing is not None, "only a fence with `draw` has a picture"
    program = Program.find(root, block.subject)
    if isinstance(block, OutputFence):
        found = tables(Output.load(program.output).text)
    else:
        found = [measured(Results.load(program.results))]
    for table in found:
        _fits(block.drawing, table)
    return Picture(block.drawing, tuple(found))


def tables(text: str) -> list[Table]:
    """The tables of a printed text."""
    found = []
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        lines = part.split("\n")
        title = lines.pop(0)[:-1] if _TITLE.match(lines[0]) else ""
        columns, *rows = [tuple(re.split(r" {2,}|\t", line.strip())) for line in lines] or [()]
        for row in rows:
            if len(row) != len(columns):
                told = f"{len(row)} cells in `{'  '.join(row)}`"
                raise BookError("picture-table", told, f"{len(columns)}, as in `{'  '.join(columns)}`")
        if not rows:
            raise BookError("picture-table", f"`{part[:60]}`", "names of columns and a row below them")
        found.append(Table(title, columns, tuple(rows)))
    return found


def measured(results: Results) -> Table:
    """The table of a program's measured numbers."""
    named = [name for name in results.values if "/" in name]
    if not named:
        told = f"measured {', '.join(f'`{name}`' for name in results.values)}"
        raise BookError("picture-table", told, "names with a slash: row/column")
    cells = {tuple(name.rsplit("/", 1)): results.shown(name) for name in named}
    rows, columns = dict.fromkeys(row for row, _ in cells), dict.fromkeys(column for _, column in cells)
    kept = [
        (row.partition("/")[0], *(cells.get((row, column), NOTHING) for column in columns)) for row in rows
    ]
    return Table("", ("", *columns), tuple(kept))


def _fits(drawing: Drawing, table: Table) -> None:
    """Raise where a table is not what its drawing takes."""
    width = {"points": 3, "blocks": 4}.get(drawing.kind)
    if (width and len(table.columns) != width) or len(table.columns) < 2:
        expected = f"{width} columns" if width else "two columns or more"
        raise BookError(
            "picture-table", f"the columns {', '.join(table.columns)}", f"{expected} for {drawing}"
        )
    if drawing.kind in ("curves", "steps"):
        for place, name in enumerate(table.columns):
            if all(cells[place] == NOTHING for cells in table.rows):
                raise BookError("picture-table", f"no number in `{name}`", f"one at least, for {drawing}")
    first, last = _NUMBERS[drawing.kind]
    for row in range(len(table.rows)):
        for column in range(len(table.columns))[first:last]:
            value = table.number(row, column)
            axis = "x" if column == first else "y"
            if value is not None and value <= 0 and axis in drawing.log:
                told = f"{table.rows[row][column]} in `{table.columns[column]}`"
                raise BookError("picture-table", told, f"a number above 0 on the axis `log: {axis}`")
            if (
                value is None
                and (drawing.kind not in ("curves", "steps") or column == first)
                and drawing.kind != "grid"
            ):
                told = f"no number in `{table.columns[column]}`"
                raise BookError("picture-table", told, f"one in each row, for {drawing}")
