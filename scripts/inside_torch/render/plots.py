"""Tables of numbers as SVG, by Matplotlib, in the colours of the site's theme.

A drawing is made in colours that stand for others; :data:`COLOURS` says which property of the theme each one
becomes, so one drawing serves the light page and the dark one. Its text stays text, in the page's font.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from itertools import cycle, groupby
from typing import Any

import matplotlib
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.transforms import Bbox

from inside_torch.book.fence_kinds import Drawing
from inside_torch.book.tables import NOTHING, Table

INK, SOFT, HAIR = "#010100", "#010101", "#010102"
SERIES = ("#010201", "#010202", "#010203", "#010204", "#010205")
#: What each colour of a drawing is on the site.
COLOURS = {
    INK: "--md-default-fg-color",
    SOFT: "--md-default-fg-color--light",
    HAIR: "--md-default-fg-color--lightest",
    SERIES[0]: "--md-code-hl-keyword-color",
    SERIES[1]: "--md-accent-fg-color",
    SERIES[2]: "--md-code-hl-string-color",
    SERIES[3]: "--md-code-hl-function-color",
    SERIES[4]: "--md-default-fg-color--light",
}
#: Curves differ in more than their colours.
DASHES = ("-", "--", ":", "-.", (0, (6, 2, 1, 2, 1, 2)))
THIN, WIDE = 1.6, 4.0
#: Where the name of a point may stand, best first: to the right and below, to the left and below, …
SIDES = (
    (5, -3, "left", "top"),
    (-5, -3, "right", "top"),
    (6, 0, "left", "center"),
    (-6, 0, "right", "center"),
    (0, -7, "center", "top"),
    (-5, 3, "right", "bottom"),
    (5, 3, "left", "bottom"),
    (0, -20, "center", "top"),
)
FONT = 10  # in the units of the SVG
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "font.size": FONT,
    "text.color": INK,
    "axes.edgecolor": SOFT,
    "axes.labelcolor": SOFT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": SOFT,
    "ytick.color": SOFT,
    "grid.color": HAIR,
    "legend.frameon": False,
    "legend.fontsize": FONT,
    "lines.linewidth": 1.8,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
}


def svg(table: Table, drawing: Drawing, width: int, salt: str) -> str:
    """The drawing of one table, so wide, as an element of a page; the same table always gives the same text.

    ``salt`` keeps its ids apart from those of other drawings.
    """
    draw, height = _DRAWINGS[drawing.kind]
    with matplotlib.rc_context(STYLE | {"svg.hashsalt": salt}):
        figure = Figure(figsize=(width / 72, height(table, width) / 72), dpi=72, layout="constrained")
        draw(figure.subplots(), table, drawing)
        written = io.StringIO()
        FigureCanvasSVG(figure).print_svg(written, metadata={"Date": None, "Creator": None})
    return _themed(written.getvalue())


def _themed(text: str) -> str:
    """An SVG of Matplotlib's as an element of a page, in the colours and the font of the site."""
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>\s*", "", text, flags=re.DOTALL)
    text = re.sub(r'<g id="[^"]*"', "<g", text)  # each drawing has the same ones
    text = re.sub(r'<path d="[^"]*" style="fill: none"/>| transform="rotate\(-0 [^"]*"', "", text)
    text = re.sub(r' (?:d|x|y|width|height|transform)="[^"]*"', _in_tenths, text)  # places, not labels
    text = re.sub(r"\s*\n\s*", " ", text)
    text = re.sub(r' d="([^"]*)"', _in_short, text)
    text = re.sub(r" ?font-family: [^;\"]*;?", "", text)
    text = re.sub(
        r"<defs>\s*<style[^>]*>.*?</style>\s*</defs>\s*", "", text
    )  # it would hold for the whole page
    text = re.sub(r'^<svg [^>]*?(viewBox="[^"]*")[^>]*>', r'<svg \1 style="stroke-linejoin: round">', text)
    return re.sub("|".join(COLOURS), lambda match: f"var({COLOURS[match[0]]})", text).strip()


def _in_tenths(attribute: re.Match[str]) -> str:
    return re.sub(r"\d+\.\d{2,}", lambda one: f"{float(one[0]):.1f}".removesuffix(".0"), attribute[0])


def _in_short(path: re.Match[str]) -> str:
    """A path whose lines are told by how far they go: steps that are alike are told alike, which packs well.

    Its places are in tenths, and so is what lies between them.
    """
    places, told = re.findall(r"([A-Za-z]) ?([-\d.]*) ?([-\d.]*)", path[1]), []
    if any(command not in "ML" for command, _, _ in places):
        return path[0]
    at = (0.0, 0.0)
    for command, x, y in places:
        across, down = (round(float(there) - here, 1) for there, here in zip((x, y), at, strict=True))
        if command == "M":
            told.append(f"M{x} {y}")
        elif across and down:
            told.append(f"l{across:g} {down:g}".replace(" -", "-"))
        else:
            told.append(f"v{down:g}" if down else f"h{across:g}")
        at = (float(x), float(y))
    return f' d="{"".join(told)}"'


def _scales(axes: Axes, drawing: Drawing) -> None:
    for name in drawing.log:
        (axes.set_xscale if name == "x" else axes.set_yscale)("log")
        (axes.xaxis if name == "x" else axes.yaxis).set_major_formatter(lambda value, _: f"{value:g}")
    axes.grid(True, linewidth=0.6)
    axes.tick_params(which="both", bottom=False, left=False)
    axes.set_axisbelow(True)
    if drawing.y:
        axes.set_ylabel(drawing.y)


def _curves(axes: Axes, table: Table, drawing: Drawing) -> None:
    """The first column across, a curve for each other one; of ``steps``, a value holds until the next one."""
    style = "steps-post" if drawing.kind == "steps" else "default"
    for column, colour, dash in zip(range(1, len(table.columns)), cycle(SERIES), cycle(DASHES), strict=False):
        values = [(table.number(row, 0), table.number(row, column)) for row in range(len(table.rows))]
        x, y = zip(*((x, y) for x, y in values if y is not None), strict=True)
        # Those below are wider: where two are one, both are seen.
        width = THIN + (WIDE - THIN) * (1 - column / (len(table.columns) - 1))
        label = table.columns[column]
        axes.plot(x, y, color=colour, linestyle=dash, linewidth=width, drawstyle=style, label=label)
    _scales(axes, drawing)
    axes.set_xlabel(table.columns[0])
    if len(table.columns) > 2 or not drawing.y:
        axes.figure.legend(loc="outside lower left", ncols=2)  # on no curve


def _points(axes: Axes, table: Table, drawing: Drawing) -> None:
    """A named point for each row; neighbouring rows of one name are a line."""
    colours, names = cycle(SERIES[1:4]), []
    for name, rows in groupby(range(len(table.rows)), lambda row: table.rows[row][0]):
        where = [(table.number(row, 1), table.number(row, 2)) for row in rows]
        x, y = zip(*where, strict=True)
        if len(where) > 1:
            axes.plot(x, y, color=SERIES[0])
            axes.annotate(name, where[-1], (0, 4), textcoords="offset points", ha="right", va="bottom")
        else:
            axes.plot(x, y, color=next(colours), marker="o", linestyle="none")
            names.append((name, where[0]))
    _scales(axes, drawing)
    axes.set_xlabel(table.columns[1])
    axes.set_ylabel(drawing.y or table.columns[2])
    axes.margins(0.12)
    _write_names(axes, names)


def _write_names(axes: Axes, names: list[tuple[str, Any]]) -> None:
    """Each name beside its point, on the first side where it is within the axes and on nothing else."""
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # the layout is known from here on
    points = [
        Bbox.from_bounds(x - 4, y - 4, 8, 8) for x, y in axes.transData.transform([at for _, at in names])
    ]
    paths = [line.get_path() for line in axes.lines]
    lines = [path.transformed(axes.transData) for path in paths if len(list(path.iter_segments())) > 1]
    written: list[Bbox] = []
    for number, (name, at) in enumerate(names):
        others = [*points[:number], *points[number + 1 :], *written]
        for place in SIDES:
            note = axes.annotate(name, at, place[:2], textcoords="offset points", ha=place[2], va=place[3])
            box = note.get_window_extent()
            inside = axes.bbox.x0 <= box.x0 and box.x1 <= axes.bbox.x1 and axes.bbox.y0 <= box.y0
            crossed = any(line.intersects_bbox(box, filled=False) for line in lines)
            if (inside and not crossed and not box.count_overlaps(others)) or place is SIDES[-1]:
                written.append(box)
                break
            note.remove()


def _grid(axes: Axes, table: Table, drawing: Drawing) -> None:
    """A cell for each number, the darker the larger, below and beside the names of columns and rows."""
    columns = range(1, len(table.columns))
    numbers = [[table.number(row, column) for column in columns] for row in range(len(table.rows))]
    known = [number for row in numbers for number in row if number is not None]
    least, span = min(known, default=0), (max(known, default=0) - min(known, default=0)) or 1
    for row, line in enumerate(numbers):
        for column, number in enumerate(line):
            shade = 0 if number is None else 0.08 + 0.42 * (number - least) / span
            axes.add_patch(Rectangle((column, row), 1, 1, facecolor=SERIES[0], alpha=shade, linewidth=0))
            axes.add_patch(Rectangle((column, row), 1, 1, fill=False, edgecolor=SOFT, linewidth=0.6))
            if number is not None:
                told = table.rows[row][column + 1]
                axes.text(column + 0.5, row + 0.5, told, ha="center", va="center")
    axes.set_xlim(-0.02, len(table.columns) - 1 + 0.02)
    axes.set_ylim(len(table.rows) + 0.02, -0.02)
    axes.set_xticks([number + 0.5 for number in range(len(table.columns) - 1)], table.columns[1:])
    axes.set_yticks([number + 0.5 for number in range(len(table.rows))], [row[0] for row in table.rows])
    axes.tick_params(length=0, labeltop=True, labelbottom=False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _blocks(axes: Axes, table: Table, drawing: Drawing) -> None:
    """A block from one number to the next for each row, in the lane that its first cell names."""
    lanes = list(dict.fromkeys(row[0] for row in table.rows))
    first = min(table.number(row, 1) or 0 for row in range(len(table.rows)))
    last = max(table.number(row, 2) or 0 for row in range(len(table.rows)))
    per_unit = (axes.figure.bbox.width - 80) / ((last - first) or 1)
    for row, cells in enumerate(table.rows):
        begin, end, lane = table.number(row, 1) or 0, table.number(row, 2) or 0, lanes.index(cells[0])
        colour = SERIES[lane % 4]
        place = (begin, lane - 0.36)
        axes.add_patch(Rectangle(place, end - begin, 0.72, facecolor=colour, alpha=0.16, linewidth=0))
        axes.add_patch(Rectangle(place, end - begin, 0.72, fill=False, edgecolor=colour, linewidth=1))
        if len(cells[3]) * FONT * 0.6 < (end - begin) * per_unit and cells[3] != NOTHING:
            axes.text((begin + end) / 2, lane, cells[3], ha="center", va="center")
    axes.set_xlim(first, last)
    axes.set_ylim(len(lanes) - 0.5, -0.5)
    axes.set_yticks(range(len(lanes)), lanes)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(drawing.y or f"{table.columns[1]} … {table.columns[2]}")


def _lanes(table: Table) -> int:
    return len({row[0] for row in table.rows})


_Draw = Callable[[Axes, Table, Drawing], None]
_Height = Callable[[Table, float], float]
_DRAWINGS: dict[str, tuple[_Draw, _Height]] = {
    "curves": (_curves, lambda table, width: width * 0.55 + 8 * len(table.columns)),
    "steps": (_curves, lambda table, width: width * 0.55 + 8 * len(table.columns)),
    "points": (_points, lambda table, width: width * 0.7),
    "grid": (_grid, lambda table, width: 44 + 26 * len(table.rows)),
    "blocks": (_blocks, lambda table, width: 46 + 34 * _lanes(table)),
}
