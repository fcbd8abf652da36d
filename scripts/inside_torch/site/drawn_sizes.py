"""How large the diagrams of a built site are drawn, measured in the browser."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from inside_torch.errors import BookError
from inside_torch.render.diagram_sizes import Size
from inside_torch.site.browser import BROWSERS, find_browser
from inside_torch.site.server import SiteServer

#: Each diagram's key and what its drawing measures by itself; null where it is not drawn yet.
SIZES = """
() => [...document.querySelectorAll("div.mermaid")].map((host) => {
  const box = host.querySelector("svg")?.viewBox.baseVal;
  const done = host.dataset.diagram === "drawn" && box;
  return [host.dataset.key, done ? [Math.round(box.width), Math.round(box.height)] : null];
})
"""
#: Seconds that a page's diagrams may take.
PATIENCE = 120


def drawn_sizes(site: Path, pages: Iterable[str]) -> dict[str, Size]:
    """The size of each diagram of pages, given by their addresses below ``site``, by its key."""
    from playwright.sync_api import sync_playwright

    browser = find_browser()
    if browser is None:
        raise BookError("diagrams", "no browser", f"one of {', '.join(BROWSERS)}")
    server = SiteServer(site, 0).start()
    sizes: dict[str, Size] = {}
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(executable_path=browser, args=["--no-sandbox"])
            page = chromium.new_page(viewport={"width": 1440, "height": 900})
            for address in pages:
                page.goto(server.url + address)
                page.evaluate("dispatchEvent(new Event('drawdiagrams'))")  # which draws all of them
                for _ in range(PATIENCE * 10):
                    found = page.evaluate(SIZES)
                    if all(size for _, size in found):
                        break
                    page.wait_for_timeout(100)
                else:
                    raise BookError("diagrams", f"{address}: not all drawn", "diagrams that Mermaid can draw")
                sizes.update({name: (width, height) for name, (width, height) in found})
            chromium.close()
    finally:
        server.close()
    return sizes
