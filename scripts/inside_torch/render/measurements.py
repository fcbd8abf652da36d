"""Measured numbers: as a table, and one by one in the prose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from markdown.inlinepatterns import InlineProcessor

from inside_torch.book.fences import Fence, FenceBody
from inside_torch.book.recording import Program, Results
from inside_torch.errors import BookError, nearest
from inside_torch.render.elements import element, extend
from inside_torch.render.notes import without_html

if TYPE_CHECKING:
    from inside_torch.render.extension import InsideTorch

MEASURED = r"\{\{\s*([^\s{}|:]+/[^\s{}|:]+):([\w.-]+)\s*(?:\|\s*([^{}]*?)\s*)?\}\}"


def draw(extension: InsideTorch, fence: Fence, body: FenceBody) -> Element:
    """A table of the values that the fence names, or of all."""
    labels = extension.labels
    with extension.page.at(fence.body_line):
        program, results = load(extension, body.subject)
    rows = body.rows or {name: name for name in results.values}
    lines = body.key_lines.get("rows", [fence.body_line] * len(rows))
    head = element(
        "tr",
        "",
        element("th", "", labels("quantity"), scope="col"),
        element("th", "it-value", labels("value"), scope="col"),
    )
    written = []
    for (name, label), line in zip(rows.items(), lines[-len(rows) :], strict=True):
        with extension.page.at(line):
            value = number(results, name, "")
        cell = element("th", "", scope="row")
        cell.text = without_html(label)  # read as inline Markdown
        written.append(element("tr", "", cell, element("td", "it-value", value)))
    again = f"inside-torch measure {program.name}"
    caption = element(
        "figcaption",
        "it-caption",
        labels("measured", build=results.build, machine=results.machine, date=results.date) + ". ",
        labels("measure-again") + ": ",
        element("code", "", again),
    )
    table = element("table", "it-table", element("thead", "", head), extend(element("tbody"), *written))
    return element("figure", "it-measurements", table, caption, id=body.one("id") or None)


class Measured(InlineProcessor):
    """``{{ module/article/program:name | .2f }}`` in the prose."""

    def __init__(self, extension: InsideTorch) -> None:
        super().__init__(MEASURED, extension.md)
        self.extension = extension

    def handleMatch(  # type: ignore[override]  # as its base class does
        self, m: re.Match[str], data: str
    ) -> tuple[Element, int, int]:
        with self.extension.page.at(text=m[0]):
            program, results = load(self.extension, m[1])
            value = number(results, m[2], m[3] or "")
        title = self.extension.labels(
            "measured-by",
            program=program.name,
            build=results.build,
            machine=results.machine,
            date=results.date,
        )
        return element("span", "it-measured", value, title=title), m.start(0), m.end(0)


def load(extension: InsideTorch, subject: str) -> tuple[Program, Results]:
    """The program of a name and the numbers it left."""
    program = Program.find(extension.root, subject)
    return program, Results.load(program.results)


def number(results: Results, name: str, form: str) -> str:
    """One value, in the format given or with three significant digits."""
    if name not in results.values:
        raise BookError(
            "measured-name",
            f"{results.program} has no value `{name}`",
            "one of " + ", ".join(results.values),
            nearest(name, results.values),
        )
    value = results.values[name]
    try:
        return format(value, form or ("d" if isinstance(value, int) else ".3g"))
    except ValueError:
        raise BookError("measured-format", f"the format `{form}`", "one of Python's, like .2f") from None
