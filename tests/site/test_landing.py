"""Where a page opens: at the section asked for, where it was left, with little to load; its diagrams."""

from __future__ import annotations

import gzip

import pytest

from .conftest import until
from .test_pages import ARTICLE

#: How far from its place a reader may land, in pixels.
NEAR = 100
#: What the head of the page covers.
HEAD = "document.querySelector('.md-header').getBoundingClientRect().bottom"


def top(page, anchor: str) -> float:
    return page.evaluate(f"document.getElementById('{anchor}').getBoundingClientRect().top - {HEAD}")


def scrolled(page) -> float:
    return page.evaluate("scrollY")


def leave_and_come_back(tab, leave) -> tuple[float, float]:
    """Where the page was scrolled to before another one was opened, and where it is after Back."""
    page = tab.open(ARTICLE)
    page.evaluate("document.getElementById('device-threads').scrollIntoView({behavior: 'instant'})")
    tab.settle()
    until(page, "history.state?.y === scrollY")  # the theme notes it a moment later
    before, address = scrolled(page), page.url
    leave(page)
    until(page, "document.title.startsWith('Glossary')")
    page.go_back()
    until(page, "!document.title.startsWith('Glossary') && window.component$ !== undefined")
    tab.settle()
    page.wait_for_timeout(300)  # a late jump would be one
    assert page.url == address
    return before, scrolled(page)


@pytest.mark.parametrize("width", [1440, 390])
def test_a_link_to_a_section_lands_at_it_and_stays(tabs, width):
    tab = tabs(width)
    page = tab.reach(f"{ARTICLE}#the-end")
    page.wait_for_timeout(300)
    assert 0 <= top(page, "the-end") <= NEAR
    tab.settle()
    assert 0 <= top(page, "the-end") <= NEAR


def test_back_by_the_browser_lands_where_the_page_was_left(tab):
    before, after = leave_and_come_back(tab, lambda page: page.goto(f"{tab.url}en/glossary/"))
    assert before > 5000 and abs(after - before) <= NEAR


def test_back_within_the_site_lands_where_the_page_was_left(tab):
    link = "document.querySelector('.md-nav a[href$=\"glossary/\"]').click()"
    before, after = leave_and_come_back(tab, lambda page: page.evaluate(link))
    assert before > 5000 and abs(after - before) <= NEAR


def test_continue_leads_to_the_section(tab):
    page = tab.reach(ARTICLE)
    page.evaluate("document.getElementById('device-threads').scrollIntoView({behavior: 'instant'})")
    until(page, "JSON.parse(localStorage['inside-torch.reading']).at === 'device-threads'")
    page = tab.open("en/")
    page.locator(".reading-continue a").click()
    page.wait_for_url(f"**/{ARTICLE}#device-threads")
    page.locator("#device-threads").wait_for()  # the address changes before the page does
    tab.settle()
    assert 0 <= top(page, "device-threads") <= NEAR


def test_an_article_loads_less_than_400_kb_before_its_diagrams_and_search(tabs):
    tab = tabs(1440)
    loaded: dict[str, bytes] = {}

    def keep(response) -> None:
        if response.ok and not response.url.startswith(("data:", "blob:")):
            loaded[response.url] = response.body()

    tab.page.on("response", keep)
    tab.page.set_viewport_size({"width": 1440, "height": 150})
    tab.reach(ARTICLE)
    until(tab.page, "window.component$ !== undefined")
    tab.page.wait_for_timeout(300)
    names = {url.rsplit("/", 1)[-1] for url in loaded}
    assert "site.css" in names and "mermaid.min.js" not in names
    weight = sum(len(body if url.endswith("woff2") else gzip.compress(body)) for url, body in loaded.items())
    assert weight < 400 * 1000, {url: len(body) for url, body in loaded.items()}


def test_a_diagram_is_drawn_when_it_comes_near(tabs):
    tab = tabs(1440)
    tab.page.set_viewport_size({"width": 1440, "height": 150})
    page = tab.reach(ARTICLE)
    until(page, "window.component$ !== undefined")
    first = page.locator("div.mermaid").first
    page.wait_for_timeout(300)
    assert first.get_attribute("data-diagram") is None
    height = first.evaluate("(host) => host.clientHeight")
    first.evaluate("(host) => host.scrollIntoView()")
    until(page, "document.querySelector('div.mermaid').dataset.diagram === 'drawn'")
    assert abs(first.evaluate("(host) => host.clientHeight") - height) <= 8


def test_the_palette_is_kept_from_one_language_to_the_other(tabs):
    tab = tabs(scheme="light")
    page = tab.open("en/")
    labels = page.locator("form[data-md-component=palette] label:not([hidden])")
    while page.evaluate("document.body.dataset.mdColorScheme") != "slate":
        labels.click()
    page = tab.open("zh/")
    assert page.evaluate("document.body.dataset.mdColorScheme") == "slate"


def test_sizes_of_diagrams_are_recorded(site):
    text = site.file(ARTICLE).read_text("utf-8")
    assert text.count('class="mermaid"') == text.count("--it-w:") >= 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_click_on_the_ground_of_a_diagram_opens_it_full_size(tabs, scheme):
    tab = tabs(390, scheme)
    page = tab.open(ARTICLE)
    figure = page.locator("figure.it-diagram").first
    drawn = figure.locator("svg").first
    width = drawn.evaluate("(svg) => svg.viewBox.baseVal.width")
    figure.locator("div.mermaid").click(position={"x": 3, "y": 3})
    large = page.locator("dialog.it-large svg")
    assert abs(large.evaluate("(svg) => svg.getBoundingClientRect().width") - width) < 2
    page.keyboard.press("Escape")
    assert page.locator("dialog").count() == 0
    figure.locator(".it-enlarge").press("Enter")
    large.wait_for()
