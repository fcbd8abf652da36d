"""Measured numbers: as a table, and one by one in the prose."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree.ElementTree import Element

from markdown.inlinepatterns import InlineProcessor

from inside_torch.book.fence_kinds import MeasuredRow, MeasurementsFence
from inside_torch.book.recording import Program, Results
from inside_torch.render import pictures
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend
from inside_torch.render.notes import without_html

MEASURED = r"\{\{\s*([^\s{}|:]+/[^\s{}|:]+):([\w.-]+)\s*(?:\|\s*([^{}]*?)\s*)?\}\}"


def draw(canvas: Canvas, block: MeasurementsFence) -> Element:
    """A table of the values that the fence names, or of all."""
    labels = canvas.labels
    with canvas.page.at(block.fence.body_line):
        program, results = load(canvas, block.subject)
    again = f"inside-torch measure {program.name}"
    caption = element(
        "figcaption",
        "it-caption",
        labels("measured", build=results.build, machine=results.machine, date=results.date) + ". ",
        labels("measure-again") + ": ",
        element("code", "", again),
    )
    shown = pictures.draw(canvas, block) if block.drawing else [_table(canvas, block, results)]
    return element("figure", "it-measurements", *shown, caption, id=block.id or None)


def _table(canvas: Canvas, block: MeasurementsFence, results: Results) -> Element:
    labels = canvas.labels
    head = element(
        "tr",
        "",
        element("th", "", labels("quantity"), scope="col"),
        element("th", "it-value", labels("value"), scope="col"),
    )
    written = []
    for row in rows_of(block, results):
        with canvas.page.at(row.line):
            value = results.shown(row.name)
        cell = element("th", "", scope="row")
        cell.text = without_html(row.label)  # read as inline Markdown
        written.append(element("tr", "", cell, element("td", "it-value", value)))
    return element("table", "it-table", element("thead", "", head), extend(element("tbody"), *written))


class Measured(InlineProcessor):
    """``{{ module/article/program:name | .2f }}`` in the prose."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(MEASURED, canvas.md)
        self.canvas = canvas

    def handleMatch(  # type: ignore[override]  # as its base class does
        self, m: re.Match[str], data: str
    ) -> tuple[Element, int, int]:
        with self.canvas.page.at(text=m[0]):
            program, results = load(self.canvas, m[1])
            value = results.shown(m[2], m[3] or "")
        title = self.canvas.labels(
            "measured-by",
            program=program.name,
            build=results.build,
            machine=results.machine,
            date=results.date,
        )
        return element("span", "it-measured", value, title=title), m.start(0), m.end(0)


def load(canvas: Canvas, subject: str) -> tuple[Program, Results]:
    """The program of a name and the numbers it left."""
    program = Program.find(canvas.root, subject)
    return program, Results.load(program.results)


def rows_of(block: MeasurementsFence, results: Results) -> Sequence[MeasuredRow]:
    """The rows that a fence names, else one for each value."""
    return block.rows or [MeasuredRow(name, name, block.fence.body_line) for name in results.values]
