"""What is asked of a page that is open in the browser, each question by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from inside_torch.site.npm import ensure_npm
from playwright.sync_api import Locator, Page

from .small_book import ROOT

# Relative luminance and contrast as WCAG 2 defines them; a colour with alpha is laid over what is below it.
CONTRAST = """
([text, behind]) => {
  const probe = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const mix = (...colours) => {
    probe.clearRect(0, 0, 1, 1);
    for (const colour of colours) { probe.fillStyle = colour; probe.fillRect(0, 0, 1, 1); }
    const light = (value) => (value /= 255) <= .04045 ? value / 12.92 : ((value + .055) / 1.055) ** 2.4;
    const [r, g, b] = [...probe.getImageData(0, 0, 1, 1).data].map(light);
    return .2126 * r + .7152 * g + .0722 * b;
  };
  const under = mix(...behind), over = mix(...behind, text);
  return (Math.max(under, over) + .05) / (Math.min(under, over) + .05);
}
"""


def contrast(page: Page, text: str, *behind: str) -> float:
    """The contrast of a colour with what is behind it, the lowest first."""
    return page.evaluate(CONTRAST, [text, list(behind)])


def style(page: Page, selector: str, name: str) -> str:
    """A computed style of the first element that a selector finds."""
    return page.locator(selector).first.evaluate("(element, name) => getComputedStyle(element)[name]", name)


def scheme(page: Page) -> str:
    """The palette that the page is shown in, ``light`` or ``dark``."""
    shown = page.locator("body").get_attribute("data-md-color-scheme")
    return {"default": "light", "slate": "dark"}[shown]


@contextmanager
def spoiled(element: Locator, change: str) -> Iterator[None]:
    """A copy that a change was made to stands in an element's place, for as long as that is looked at."""
    both = element.evaluate_handle(
        "(node) => { const copy = node.cloneNode(true); node.replaceWith(copy); return [copy, node]; }"
    )
    both.evaluate(f"([copy]) => ({change})(copy)")
    try:
        yield
    finally:
        both.evaluate("([copy, node]) => copy.replaceWith(node)")


def no_sideways_scroll(page: Page) -> None:
    """The page is as wide as the window."""
    wide, shown = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= shown


# --- diagrams


def drawn(page: Page) -> int:
    """How many diagrams there are, each of them drawn."""
    assert page.locator('div.mermaid[data-diagram="failed"]').count() == 0
    count = page.locator('div.mermaid[data-diagram="drawn"] svg').count()
    assert count == page.locator("div.mermaid").count()
    return count


# What a label is called, its colour and what lies between it and the paper: [text, colour, fill or null], for
# every label of every diagram in one go, since each question to the browser takes milliseconds.
LABELS = """
(diagrams) => diagrams.flatMap((host) => [
  ...[...host.querySelectorAll(".node:has(.nodeLabel)")].map((node) => [
    node.textContent,
    getComputedStyle(node.querySelector(".nodeLabel")).color,
    getComputedStyle(node.querySelector("rect, polygon, circle, path")).fill,
  ]),
  ...[...host.querySelectorAll(
    ".messageText, text.actor > tspan, .noteText > tspan, .loopText > tspan"
  )].map((text) => [text.textContent, getComputedStyle(text).fill, null]),
])
"""


def legible(page: Page) -> None:
    """Every label of every diagram can be told from what is behind it."""
    paper = style(page, "body", "backgroundColor")
    labels = page.locator("div.mermaid").evaluate_all(LABELS)
    assert labels
    told: dict[tuple[str, ...], float] = {}
    for text, colour, fill in labels:
        colours = (colour, paper, fill) if fill else (colour, paper)
        if colours not in told:
            told[colours] = contrast(page, *colours)
        assert told[colours] >= 4.5, text


def linked(page: Page) -> None:
    """Every link of every diagram leads to lines at the commit, in a tab of its own, or to a block here."""
    links = page.locator("div.mermaid svg a").evaluate_all(
        "(all) => all.map((a) => [a.href.baseVal ?? a.href, a.getAttribute('target'), a.getAttribute('rel')])"
    )
    for href, target, rel in links:
        if href.startswith("#"):
            assert page.locator(f"[id='{href[1:]}']").count() == 1 and target is None, href
            continue
        assert re.match(r"https://github\.com/pytorch/pytorch/blob/[0-9a-f]{40}/", href), href
        assert target == "_blank" and "noopener" in rel, href
    assert len(links) >= 2


TOO_WIDE = """
(hosts) => hosts.flatMap((host) =>
  [...host.querySelectorAll("foreignObject:has(.nodeLabel, .edgeLabel)")].filter((box) => {
    const range = document.createRange();
    range.selectNodeContents(box);
    const [text, room] = [range.getBoundingClientRect(), box.getBoundingClientRect()];
    // A word that is broken where no room was left for a second line stands below its box.
    return text.width > room.width + 1 || text.height > room.height * 1.4;
  }).map((box) => box.textContent))
"""


def too_wide(page: Page) -> list[str]:
    """The labels of diagrams that are wider than their boxes, or have a line more."""
    return page.locator("div.mermaid").evaluate_all(TOO_WIDE)


def paths_whole(page: Page) -> None:
    """Every call path drawn as a sequence is seen whole, with no scrolling."""
    sizes = page.locator(".it-path--sequence > div.mermaid").evaluate_all(
        "(hosts) => hosts.map((host) => [host.scrollWidth, host.clientWidth])"
    )
    assert all(wide <= shown for wide, shown in sizes), sizes


def code_in_sight(page: Page) -> None:
    """No line of code goes out of sight."""
    hidden = page.locator("article pre > code").evaluate_all(
        "(blocks) => blocks.filter((code) => code.scrollWidth > code.clientWidth + 1)"
        ".map((code) => code.textContent)"
    )
    assert hidden == []


# --- for everybody


def accessible(page: Page) -> None:
    """axe finds nothing that is serious."""
    _axe(page)


def contrasted(page: Page) -> None:
    """axe finds nothing serious in the colours, which alone differ between the palettes."""
    _axe(page, runOnly=["color-contrast", "link-in-text-block"])


def _axe(page: Page, **options: object) -> None:
    if not page.evaluate("'axe' in window"):  # the second time it runs twice as fast
        page.evaluate((ensure_npm(ROOT) / "axe-core" / "axe.min.js").read_text("utf-8"))
    found = page.evaluate("(options) => axe.run(options)", {"resultTypes": ["violations"]} | options)[
        "violations"
    ]
    serious = [
        f"{rule['id']}: {node['html'][:160]} {node['failureSummary'][:300]}"
        for rule in found
        if rule["impact"] in ("serious", "critical")
        for node in rule["nodes"][:3]
    ]
    if serious:
        pytest.fail("\n".join(serious), pytrace=False)
