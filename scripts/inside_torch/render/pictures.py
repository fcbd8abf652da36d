"""Numbers that a fence has drawn: the picture, and the same numbers as tables below it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import MeasurementsFence, OutputFence
from inside_torch.book.tables import Picture, Table, picture
from inside_torch.render.canvas import Canvas
from inside_torch.render.code import is_seen
from inside_torch.render.elements import element, extend

#: How wide a picture is, and a panel of several, where letters are 10 high: both can be read on a phone.
WIDTH, PANEL = 430, 340


def draw(canvas: Canvas, block: OutputFence | MeasurementsFence) -> list[Element]:
    """The picture, named for who cannot see it, and its numbers, folded."""
    with canvas.page.at(block.line):
        drawn = picture(canvas.root, block)
    if not is_seen():
        return []  # all that can be wrong has been looked at
    from inside_torch.render import plots  # Matplotlib takes a second to come, and few pages need it

    holder = element("div", "it-picture", role="img", aria_label=_told(canvas, drawn))
    width = WIDTH if len(drawn.tables) == 1 else PANEL
    for number, table in enumerate(drawn.tables):
        title = element("div", "it-panel-title", table.title) if table.title else None
        panel = element("div", "it-panel", title)
        shown = canvas.stash(plots.svg(table, drawn.drawing, width, f"{block.subject} {block.id} {number}"))
        extend(holder, extend(panel, element("div", "", shown)))
    numbers = element("details", "it-numbers", element("summary", "", canvas.labels("numbers")))
    return [holder, extend(numbers, *(_table(table) for table in drawn.tables))]


def _told(canvas: Canvas, drawn: Picture) -> str:
    columns = dict.fromkeys(column for table in drawn.tables for column in table.columns if column)
    return canvas.labels("picture-of", what=", ".join([*filter(None, [drawn.drawing.y]), *columns]))


def _table(table: Table) -> Element:
    head = element("tr", "", *(element("th", "", column, scope="col") for column in table.columns))
    rows = []
    for first, *others in table.rows:
        name = element("th", "", first, scope="row")
        rows.append(element("tr", "", name, *(element("td", "", cell) for cell in others)))
    caption = element("caption", "", table.title) if table.title else None
    return element("table", "it-table", caption, element("thead", "", head), element("tbody", "", *rows))
