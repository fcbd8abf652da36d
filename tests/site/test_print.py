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


def test_the_dark_palette_is_printed_in_the_colours_of_the_light_one(tabs):
    seen = {}
    for scheme in ("light", "dark"):
        page = tabs(1024, scheme).open(ARTICLE)
        seen[scheme, "screen"] = page.evaluate(COLOURS)
        page.emulate_media(media="print", color_scheme=scheme)
        seen[scheme, "print"] = page.evaluate(COLOURS)
    assert seen["light", "screen"] != seen["dark", "screen"]
    assert seen["dark", "print"] == seen["light", "print"]
