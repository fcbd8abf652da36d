"""The site as a reader gets it: built once for all processes of a run, served locally, opened in Chromium."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from filelock import FileLock
from inside_torch.site.publish import build_site
from playwright.sync_api import Browser, BrowserContext, Page, Request

from ..times import SITE as BUILD
from ..workers import served

ROOT = Path(__file__).parents[2]


@dataclass
class Site:
    """The built site: its folder and the address, with a slash at its end, that it is served at."""

    folder: Path
    url: str

    def file(self, address: str) -> Path:
        return self.folder / address / "index.html"


#: Seconds that nothing takes, on a machine that has much else to do.
PATIENCE = 300


def until(page: Page, expression: str, seconds: float = PATIENCE) -> None:
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

    def reach(self, address: str) -> Page:
        """Go to an article and wait for its foot alone, since the diagrams take the most of the time."""
        self.page.goto(self.url + address, wait_until="domcontentloaded")
        self.page.locator("aside.reading button").wait_for()
        return self.page

    def show(self, *, width: int = 0, scheme: str = "") -> None:
        """Make the window as wide as that, or let the system ask for a palette; wait until it is so."""
        if width:
            self.page.set_viewport_size({"width": width, "height": 900})
            until(self.page, f"innerWidth === {width}")
        if scheme:
            self.page.emulate_media(color_scheme=scheme)
            name = {"light": "default", "dark": "slate"}[scheme]
            until(self.page, f"document.body.dataset.mdColorScheme === '{name}'")
        # Two frames, after which what the change leads to has been laid out and painted.
        self.page.evaluate(
            "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
        )
        self.settle()

    def settle(self) -> None:
        """Have every diagram of the page drawn, near or not, and wait until each is or has failed."""
        # Asked again and again: instant navigation may put another page in the place of one that heard it.
        until(
            self.page,
            "dispatchEvent(new Event('drawdiagrams')) && [...document.querySelectorAll('div.mermaid')]"
            ".every(({dataset}) => ['drawn', 'failed'].includes(dataset.diagram))",
        )


@pytest.fixture(scope="session")
def site(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The book as it is, built with every warning an error; by the first process that needs it."""
    clock = request.config.pluginmanager.get_plugin("suite-clock")
    if shared := getattr(request.config, "workerinput", {}).get("site"):
        folder = Path(shared["folder"])
        with FileLock(folder.with_suffix(".lock")):
            if not folder.exists():
                with clock.apart(BUILD):
                    build_site(ROOT, folder, strict=True, url=shared["url"])
        yield Site(folder, shared["url"])
        return
    folder = tmp_path_factory.mktemp("site") / "site"
    with served(folder) as url:
        with clock.apart(BUILD):
            build_site(ROOT, folder, strict=True, url=url)
        yield Site(folder, url)


class Tabs:
    """Opens tabs; at the end none of them may have met a fault."""

    def __init__(self, browser: Browser, site: Site) -> None:
        self.browser, self.site = browser, site
        self.contexts: list[BrowserContext] = []
        self.tabs: list[Tab] = []

    def __call__(self, width: int = 1440, scheme: str = "light", **options: object) -> Tab:
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-GB", **options
        )
        context.set_default_timeout(PATIENCE * 1000)
        self.contexts.append(context)
        tab = Tab(context.new_page(), self.site.url)
        self.tabs.append(tab)

        def only_ours(request: Request) -> None:
            if not request.url.startswith((self.site.url, "data:", "blob:")):
                tab.faults.append(f"a request to {request.url}")

        # Not by a route: it would turn the browser's cache off, and Mermaid be read for each page.
        context.on("request", only_ours)
        tab.page.on("console", lambda said: said.type == "error" and tab.faults.append(said.text))
        tab.page.on("pageerror", lambda error: tab.faults.append(str(error)))
        return tab


@contextmanager
def opened(browser: Browser, site: Site) -> Iterator[Tabs]:
    """Makes tabs; a request to anywhere but the site, and an error in their console, fail in the end."""
    made = Tabs(browser, site)
    yield made
    faults = [fault for tab in made.tabs for fault in tab.faults]
    for context in made.contexts:
        context.close()
    assert not faults


class Visits:
    """Pages that are opened once for all tests that only read them, or put back what they change."""

    def __init__(self, tabs: Tabs) -> None:
        self.make, self.open = tabs, {}

    def __call__(self, address: str, width: int = 1440, scheme: str = "light") -> Page:
        """The page at its beginning, in a window as wide as that, in a palette."""
        if address not in self.open:
            self.open[address] = self.make(permissions=["clipboard-read", "clipboard-write"])
            self.open[address].open(address)
        tab = self.open[address]
        tab.page.emulate_media(media="screen")
        tab.page.evaluate("scrollTo({top: 0, behavior: 'instant'})")
        tab.show(width=width, scheme=scheme)
        return tab.page


@pytest.fixture(scope="session")
def visits(browser: Browser, site: Site) -> Iterator[Visits]:
    """The pages that this process has open."""
    with opened(browser, site) as made:
        yield Visits(made)


@pytest.fixture
def visit(visits: Visits) -> Iterator[Visits]:
    """Opens pages that stay open for other tests; none of them may have met a fault in this one."""
    yield visits
    faults = [fault for tab in visits.open.values() for fault in tab.faults]
    for tab in visits.open.values():
        tab.faults.clear()
    assert not faults


@pytest.fixture
def tabs(browser: Browser, site: Site) -> Iterator[Tabs]:
    """Makes the tabs of one test."""
    with opened(browser, site) as made:
        yield made


@pytest.fixture
def tab(tabs: Tabs) -> Tab:
    """A wide tab in light colours."""
    return tabs()
