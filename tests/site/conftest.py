"""The site as a reader gets it: built once, served locally, opened in Chromium."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from inside_torch.site.publish import build_site
from inside_torch.site.server import SiteServer
from playwright.sync_api import Browser, BrowserContext, Page, Route

ROOT = Path(__file__).parents[2]


@dataclass
class Site:
    """The built site: its folder and the address, with a slash at its end, that it is served at."""

    folder: Path
    url: str

    def file(self, address: str) -> Path:
        return self.folder / address / "index.html"


def until(page: Page, expression: str, seconds: float = 15) -> None:
    """Wait until an expression is true. Playwright's own way evaluates text, which our policy forbids."""
    end = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < end, f"never true: {expression}"
        page.wait_for_timeout(50)


@dataclass
class Tab:
    """A page of the browser, and what it should never have done."""

    page: Page
    url: str
    faults: list[str] = field(default_factory=list)

    def open(self, address: str) -> Page:
        """Go to an address below the site and wait until its diagrams are drawn."""
        self.page.goto(self.url + address)
        until(self.page, "window.component$ !== undefined")
        self.settle()
        return self.page

    def settle(self) -> None:
        """Wait until every diagram of the page is drawn or has failed."""
        until(
            self.page,
            "[...document.querySelectorAll('div.mermaid')]"
            ".every(({dataset}) => ['drawn', 'failed'].includes(dataset.diagram))",
        )


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The book as it is, built with every warning an error."""
    folder = tmp_path_factory.mktemp("site") / "site"
    server = SiteServer(folder, port=0)
    build_site(ROOT, folder, strict=True, url=server.url)
    server.start()
    yield Site(folder, server.url)
    server.close()


class Tabs:
    """Opens tabs; at the end of a test none of them may have met a fault."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser, self.site = browser, site
        self.contexts: list[BrowserContext] = []
        self.tabs: list[Tab] = []

    def __call__(self, width: int = 1440, scheme: str = "light", **options: object) -> Tab:
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-GB", **options
        )
        context.set_default_timeout(15_000)
        self.contexts.append(context)
        tab = Tab(context.new_page(), self.site.url)
        self.tabs.append(tab)

        def only_ours(route: Route) -> None:
            if route.request.url.startswith((self.site.url, "data:", "blob:")):
                route.continue_()
            else:
                tab.faults.append(f"a request to {route.request.url}")
                route.abort()

        context.route("**/*", only_ours)
        tab.page.on("console", lambda said: said.type == "error" and tab.faults.append(said.text))
        tab.page.on("pageerror", lambda error: tab.faults.append(str(error)))
        return tab


@pytest.fixture
def tabs(browser: Browser, site: Site) -> Iterator[Tabs]:
    """Makes tabs for which the network ends at the site; errors in their console fail the test."""
    made = Tabs(browser, site)
    yield made
    faults = [fault for tab in made.tabs for fault in tab.faults]
    for context in made.contexts:
        context.close()
    assert not faults


@pytest.fixture
def tab(tabs: Tabs) -> Tab:
    """A wide tab in light colours."""
    return tabs()
