"""Numbers are drawn in the colours of the theme, and stand in a table below their picture."""

from __future__ import annotations

import re

import pytest
from inside_torch.book.fence_kinds import Drawing
from inside_torch.book.tables import tables
from inside_torch.errors import BookError
from inside_torch.render import plots
from inside_torch.render.code import unseen

from .small_book import fence

CURVES = "step  StepLR  Cosine\n0  0.1  0.1\n1  0.1  0.05\n2  0.01  -\n"
POINTS = "layer  FLOP per byte  GFLOP per second\nroof  0.1  2\nroof  5  100\nnorm  0.3  4\n"
GRID = "x:\ni  0  1\n0  0  1\n1  2  -\n\nx.t():\ni  0  1\n0  0  2\n1  1  3\n"
BLOCKS = "lane  from  to  name\nstorage  0  16  x\nrow  0  1  a name that is too long\n"


def drawn(kind: str, text: str, **said) -> str:
    return "".join(plots.svg(table, Drawing(kind, **said), 340, "salt") for table in tables(text))


@pytest.mark.parametrize(
    ("kind", "text", "said", "shown"),
    [
        ("curves", CURVES, {"y": "rate"}, ["StepLR", "Cosine", "step", "rate"]),
        ("steps", CURVES, {"y": "rate"}, ["StepLR", "Cosine", "step", "rate"]),
        ("points", POINTS, {"log": ("x", "y")}, ["roof", "norm", "FLOP per byte", "GFLOP per second"]),
        ("grid", GRID, {}, ["0", "1", "3"]),
        ("blocks", BLOCKS, {"y": "byte"}, ["storage", "row", "byte"]),
    ],
)
def test_a_drawing_holds_its_words_and_only_colours_of_the_theme(kind, text, said, shown):
    svg = drawn(kind, text, **said)
    words = re.findall(r">([^<>]*?)</text>", svg)
    assert set(shown) <= {word.strip() for word in words}, words
    assert not re.findall(r"#[0-9a-fA-F]{3,8}\b(?!\")", svg) and "var(--md-default-fg-color" in svg
    assert svg.startswith("<svg viewBox=")
    assert not re.search(r"<g id|<metadata|<style|font-family|DejaVu", svg)
    assert drawn(kind, text, **said) == svg


def test_labels_are_the_numbers_and_places_are_in_tenths():
    svg = drawn("curves", "x  y\n0  0.001\n1  0.0025\n2  0.003\n")
    assert {"0.0010", "0.0025", "0.0030"} <= set(re.findall(r">([^<>]*?)</text>", svg))
    assert not re.search(r' (?:d|x|y|transform)="[^"]*\d\.\d\d', svg)
    assert ">1.25<" in drawn("grid", "i  0\n0  1.25\n")


def test_a_step_has_a_corner_where_a_curve_has_none_and_what_lies_below_is_wider():
    lines = {
        kind: re.findall(r'<path d="(M[^"]*)"[^>]*stroke-width: ([\d.]+)', drawn(kind, CURVES))
        for kind in ("curves", "steps")
    }
    corners = {
        kind: [len(re.findall("[lhv]", place)) for place, width in paths if float(width) >= 1.6]
        for kind, paths in lines.items()
    }
    assert {kind: found[:2] for kind, found in corners.items()} == {"curves": [2, 1], "steps": [4, 2]}
    assert [float(width) for _, width in lines["steps"] if float(width) >= 1.6][:2] == [2.8, 1.6]


def test_a_path_told_by_how_far_it_goes_leads_to_the_same_places():
    def short(path: str) -> str:
        return re.sub(' d="([^"]*)"', plots._in_short, f' d="{path}"')

    straight = "M 10 20.5 L 13.4 20.5 L 13.4 1 L 20 0.3 L 19.9 0.3 L 30 8"
    assert short(straight) == ' d="M10 20.5h3.4v-19.5l6.6-0.7h-0.1l10.1 7.7"'
    assert short("M 1 2 C 1 2 3 4 5 6") == ' d="M 1 2 C 1 2 3 4 5 6"'


def test_names_of_points_that_are_close_do_not_lie_on_each_other():
    rows = (
        "roof  1  1\nroof  100  100\nfirst, a long name  90  90\nsecond, a long name  60  88\nthird  2  5\n"
    )
    svg = drawn("points", f"name  x  y\n{rows}", log=("x", "y"))
    places = re.findall(
        r"([\d.]+) translate\(|<text [^>]*?x=\"([\d.]+)\" y=\"([\d.]+)\"[^>]*>(.*?)</text>", svg
    )
    names = {name: float(y) for _, _, y, name in places if "long name" in name}
    assert len(names) == 2 and abs(names["first, a long name"] - names["second, a long name"]) >= 8, places
    assert {"1", "10", "100"} <= set(re.findall(r">([^<>]*?)</text>", svg))


def test_ids_of_two_drawings_differ():
    (table,) = tables(CURVES)
    first, second = (plots.svg(table, Drawing("curves"), 340, salt) for salt in "ab")
    ids = [set(re.findall(r'\bid="([^"]+)"', one)) for one in (first, second)]
    assert ids[0] and not ids[0] & ids[1]


def test_a_name_that_is_wider_than_its_block_is_left_to_the_table():
    assert "too long" not in drawn("blocks", BLOCKS)


def test_the_picture_has_a_name_and_its_numbers_stand_below_it(draw):
    page = draw(fence("output", "demo/curves", "id: rates", "draw: curves", "y: rate"))
    figure = page.find("figure", id="rates")
    assert figure.find("div", class_="it-picture").svg is not None
    assert figure.find(role="img")["aria-label"].startswith("Picture of rate, step, StepLR, Cosine;")
    assert not figure.details.has_attr("open") and figure.details.summary.text == "The numbers"
    rows = [[cell.text for cell in row(["th", "td"])] for row in figure.tbody("tr")]
    assert rows == [["0", "0.1", "0.1"], ["1", "0.1", "0.05"], ["2", "0.01", "-"]]
    assert figure.find("pre") is None and "demo/curves.py" in figure.figcaption.text


def test_each_table_is_a_panel_with_its_title(draw):
    page = draw(fence("output", "demo/grids", "draw: grid"))
    panels = page.find("div", class_="it-picture").find_all("div", class_="it-panel")
    assert [panel.find(class_="it-panel-title").text for panel in panels] == ["x", "x.t()"]
    assert all(panel.svg for panel in panels)
    assert [table.caption.text for table in page.details("table")] == ["x", "x.t()"]


def test_measured_numbers_are_drawn_with_the_machine_below_them(draw):
    page = draw(fence("measurements", "demo/curves", "draw: points"))
    assert page.svg is not None and "on a test" in page.figcaption.text
    assert [cell.text for cell in page.thead("th")] == ["", "x", "y"]


def test_where_nobody_looks_a_table_is_held_against_its_drawing_and_not_plotted(draw):
    with unseen():
        assert draw(fence("output", "demo/curves", "draw: curves")).svg is None
        with pytest.raises(BookError, match="4 columns for `draw: blocks`"):
            draw(fence("output", "demo/curves", "draw: blocks"))
