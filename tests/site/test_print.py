"""What is printed is ink on paper, whichever palette is read on the screen."""

from __future__ import annotations

from .conftest import until
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


def test_a_diagram_is_printed_with_words_as_large_as_the_text_and_on_one_page(visit):
    page = visit(ARTICLE, 1024)
    page.set_viewport_size({"width": A4[0], "height": A4[1]})
    page.emulate_media(media="print")
    found = page.evaluate(DIAGRAMS)
    assert found
    for width, drawn, height in found:
        assert width <= 0.8 * drawn + 1 and height < A4[1] - 150, (width, drawn, height)


def test_a_diagram_that_is_not_drawn_yet_says_so_on_paper_and_the_keyboard_waits_for_it(tabs):
    tab = tabs(1440)
    tab.page.set_viewport_size({"width": 1440, "height": 150})
    page = tab.reach(ARTICLE)
    until(page, "window.component$ !== undefined")
    last = page.locator("div.mermaid").last
    page.emulate_media(media="print")
    said, height = last.evaluate(
        "(host) => [getComputedStyle(host, '::before').content, getComputedStyle(host).height]"
    )
    assert "print again" in said and float(height.removesuffix("px")) < 100
    page.emulate_media(media="screen")
    drawn = "document.querySelectorAll('div.mermaid[data-diagram=drawn]').length"
    page.evaluate(f"window.print = () => window.printed = {drawn}")
    page.keyboard.press("Control+p")
    until(page, "window.printed > 0")
    assert page.evaluate("window.printed") == page.locator("div.mermaid").count()
