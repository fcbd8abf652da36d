"""What is printed is ink on paper, whichever palette is read on the screen."""

from __future__ import annotations

from .test_pages import ARTICLE

COLOURS = """
() => [
  "body", "article p", "article h1", "article pre > code", ".it-line--noted",
  ".it-head", "article p a", ".nodeLabel",
]
  .map((selector) => getComputedStyle(document.querySelector(selector)))
  .map(({color, backgroundColor}) => [color, backgroundColor])
"""


def test_the_dark_palette_is_printed_in_the_colours_of_the_light_one(visit):
    seen = {}
    for scheme in ("light", "dark"):
        page = visit(ARTICLE, 1024, scheme)
        seen[scheme, "screen"] = page.evaluate(COLOURS)
        page.emulate_media(media="print", color_scheme=scheme)
        seen[scheme, "print"] = page.evaluate(COLOURS)
    assert seen["light", "screen"] != seen["dark", "screen"]
    assert seen["dark", "print"] == seen["light", "print"]


DIAGRAMS = """
() => [...document.querySelectorAll("div.mermaid svg")].map((svg) => {
  const {width, height} = svg.getBoundingClientRect();
  return [width, svg.viewBox.baseVal.width, height];
})
"""
A4 = (794, 1123)  # pixels of CSS, margins and all


def test_a_diagram_is_printed_no_larger_than_it_was_drawn_and_on_one_page(visit):
    page = visit(ARTICLE, 1024)
    page.set_viewport_size({"width": A4[0], "height": A4[1]})
    page.emulate_media(media="print")
    found = page.evaluate(DIAGRAMS)
    assert found
    for width, drawn, height in found:
        assert width <= drawn + 1 and height < A4[1] - 150, (width, drawn, height)
