"""Every page of the book, opened once: at every width, in both palettes, all that is asked of it.

A page is laid out anew where the window changes, and recoloured where the palette does; what a page does on
its way there, on being loaded narrow or in the dark, is asked of one page in test_pages.py.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from inside_torch.book.language import CHINESE, ENGLISH, Language
from inside_torch.render.diagram_sizes import differ
from playwright.sync_api import Page

from .looks import (
    accessible,
    code_in_sight,
    contrasted,
    drawn,
    legible,
    linked,
    no_sideways_scroll,
    paths_whole,
    scheme,
    style,
    too_wide,
)
from .small_book import ROOT

#: One page of each kind for axe, which takes as long as all other questions together.
WITH_AXE = {
    "en/",
    "en/module-02-autograd/",
    "en/module-02-autograd/running-backward/",
    "zh/module-02-autograd/running-backward/",
    "en/routes/beginner/",
    "en/releases/2.15.0/",
    "en/proof/",
    "en/source-index/",
    "en/errors/",
    "zh/glossary/",
}


def addresses(language: Language) -> list[str]:
    """The addresses of the pages that are written in a language."""
    found = []
    for file in sorted((ROOT / language.docs).rglob("*.md")):
        place = file.relative_to(ROOT / language.docs).with_suffix("")
        place = place.parent if place.name == "index" else place
        found.append(f"{language.code}/{place.as_posix()}/".replace("/./", "/"))
    return found


PAGES = [*addresses(ENGLISH), *addresses(CHINESE)]


def is_article(address: str) -> bool:
    """Whether a page is an article of a module."""
    _, *place = Path(address).parts
    return len(place) == 2 and place[0].startswith("module-")


def test_there_is_a_page_of_each_kind():
    assert set(PAGES) >= WITH_AXE
    assert sum(map(is_article, PAGES)) >= 14 and len(PAGES) > 40


class Asked:
    """Asks a page one thing after the other, so that one answer that is wrong hides no other."""

    def __init__(self, page: Page) -> None:
        self.page, self.at, self.wrong = page, "", []

    def ask(self, *questions: Callable[[Page], object]) -> None:
        for question in questions:
            try:
                question(self.page)
            except (AssertionError, pytest.fail.Exception) as error:
                self.wrong.append(f"{self.at}: not so: {question.__doc__.splitlines()[0]} {error}")


def one_title(page: Page) -> None:
    """There is one title."""
    assert page.locator("h1").count() == 1


def room_for_labels(page: Page) -> None:
    """No label of a diagram is wider than its box."""
    # Seen once, on a busy machine, of all labels at once and not again: what stays too wide is still found.
    for _ in range(50):
        if not (wide := too_wide(page)):
            break
        page.wait_for_timeout(100)
    assert wide == []


SIZES = """
(hosts) => hosts.map(({dataset, style, firstElementChild: {viewBox}}) => [dataset.key,
  ["w", "h"].map((name) => Number(style.getPropertyValue(`--it-${name}`))),
  [viewBox.baseVal.width, viewBox.baseVal.height]])
"""


def places_kept(page: Page) -> None:
    """Each diagram is drawn as large as `inside-torch diagrams` recorded it."""
    sizes = page.locator("div.mermaid").evaluate_all(SIZES)
    assert not [each for each in sizes if differ(*each[1:])]


@pytest.mark.parametrize("address", PAGES)
def test_page(tabs, address):
    tab = tabs(1440, "light")
    page = tab.open(address)
    asked = Asked(page)
    count = page.locator("div.mermaid").count()

    asked.at = "wide"
    asked.ask(one_title, no_sideways_scroll, drawn, room_for_labels, paths_whole, code_in_sight)
    asked.ask(places_kept)
    assert scheme(page) == "light"
    if is_article(address):
        assert count >= 2
        asked.ask(linked)
    if count:
        asked.ask(legible)
        colour = style(page, "div.mermaid :is(.nodeLabel, .messageText)", "fill")
    if address in WITH_AXE:
        asked.ask(accessible)

    asked.at = "dark"
    tab.show(scheme="dark")
    assert scheme(page) == "dark"
    if count:
        asked.ask(drawn, legible)
        assert style(page, "div.mermaid :is(.nodeLabel, .messageText)", "fill") != colour
    if address in WITH_AXE:
        asked.ask(contrasted)

    for width in (1024, 390):
        asked.at = f"{width} pixels wide"
        tab.show(width=width)
        asked.ask(no_sideways_scroll, room_for_labels)
        asked.ask(paths_whole if width == 1024 else code_in_sight)
    assert not asked.wrong, "\n".join(asked.wrong)


@pytest.mark.parametrize("address", [address for address in addresses(ENGLISH) if is_article(address)])
def test_an_article_is_light(site, address):
    for language in ("en", "zh"):  # where there is no translation, the English text in a Chinese frame
        page = site.file(f"{language}{address[2:]}").read_bytes()
        assert len(gzip.compress(page, 9)) <= 60 * 1024
