"""What the styles make of an excerpt: notes beside their lines, or under them where it is narrow."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from .small_book import GRAPH, fence

ASSETS = Path(__file__).parents[2] / "docs" / "theme" / "assets"
PAGE = """<!doctype html><html lang="en" dir="ltr"><style>
body {{ margin: 0; font: 16px sans-serif; --md-code-bg-color: #eee }}
html {{ font-size: 20px }} main {{ width: min(900px, 100vw - 32px); margin: auto }} {css}
</style><main class="md-typeset">{body}</main><script>{js}</script></html>"""
# Of each note: the boxes of itself, its line and the line's code.
BOXES = """() => [...document.querySelectorAll(".it-note")].map((note) => {
  const line = note.closest(".it-line");
  const box = (element) => element.getBoundingClientRect().toJSON();
  const text = box(line.querySelector(".it-text"));
  return { note: box(note), line: box(line), text, border: line.clientTop };
})"""


@pytest.fixture(params=[True, False], ids=["script", "no-script"])
def page_of(request, browser, draw):
    """Shows an excerpt of five notes, three of them on neighbouring lines, at a width."""
    long = "A long remark that needs several rows of its narrow column, and so meets the next one. " * 2
    notes = [
        f"`attach_logging_hooks =`: {long}",
        f"`try:`: {long}",
        f"`return Variable`: {long}",
        "`finally:`: Short.",
        "`unregister_hooks()`: Short.",
    ]
    body = draw(fence("excerpt", GRAPH, "", *notes)).html
    css, js = ((ASSETS / f"inside-torch.{kind}").read_text() for kind in ("css", "js"))

    def show(width: int):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, java_script_enabled=request.param
        )
        page = context.new_page()
        page.set_content(PAGE.format(css=css, body=body, js=js))
        return page

    yield show
    for context in browser.contexts:
        context.close()


def test_notes_stand_beside_their_lines_and_push_each_other_down(page_of):
    boxes = page_of(1440).evaluate(BOXES)
    assert len(boxes) == 5
    for box in boxes:
        assert box["note"]["left"] >= box["line"]["right"]
        assert box["note"]["top"] >= box["line"]["top"] - 1
    # The first and the second have room: they begin level with their lines.
    for box in boxes[:2]:
        assert abs(box["note"]["top"] - box["line"]["top"] - box["border"]) < 2
    for above, below in pairwise(boxes):
        assert above["note"]["bottom"] <= below["note"]["top"]


def test_notes_stand_under_their_lines_on_a_phone(page_of):
    page = page_of(390)
    for box in page.evaluate(BOXES):
        assert box["note"]["top"] >= box["text"]["bottom"] - 1
        assert box["note"]["bottom"] <= box["line"]["bottom"] + 1
        assert box["note"]["width"] > 230
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_a_fold_opens_by_keyboard(browser, draw):
    page = browser.new_page()
    body = draw(fence("excerpt", GRAPH, "fold: `try:` .. `finally:`")).html
    page.set_content(PAGE.format(css=(ASSETS / "inside-torch.css").read_text(), body=body, js=""))
    line = page.locator(".it-fold .it-line").first
    assert not line.is_visible()
    page.locator(".it-fold summary").focus()
    page.keyboard.press("Enter")
    assert line.is_visible()
    page.close()
