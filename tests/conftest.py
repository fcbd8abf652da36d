"""What every test shares: where the repository is, and one set of caches for all that is compiled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings
from inside_torch.errors import BookError
from inside_torch.pins.line_table import rows
from inside_torch.pins.resolve import Evidence
from inside_torch.pins.wheel import Wheel
from inside_torch.pins.witness import Libraries
from inside_torch.run.debugger import Debugger
from inside_torch.run.fork_server import ForkServer
from inside_torch.run.process import PATIENT, caches
from inside_torch.site.browser import find_browser

from . import changed, cpu_capability, record_proof

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from xdist.remote import Producer
    from xdist.workermanage import WorkerController

    from .workers import ByGroup

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]

#: What adds options to the suite.
PLUGINS = (changed, cpu_capability, record_proof)

# How long an example takes to make or to run depends on what else the machine does.
settings.register_profile("any-load", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any-load")

# OpenMP reads it when torch is imported, which no test has done yet.
os.environ.update(PATIENT)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the options of the suite."""
    for plugin in PLUGINS:
        plugin.pytest_addoption(parser)


def pytest_configure(config: pytest.Config) -> None:
    """Does what the options say."""
    for plugin in PLUGINS:
        plugin.pytest_configure(config)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> ByGroup:
    """Divides the suite between processes as :mod:`.workers` says, in the order that it was collected in."""
    from .workers import ByGroup

    config.option.loadscopereorder = False
    return ByGroup(config, log)


def pytest_configure_node(node: WorkerController) -> None:
    """Each process is told where the site is that they share."""
    from .workers import site_of_the_run

    node.workerinput["site"] = site_of_the_run(node.config)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """One process among several collects the longest groups first; alone, the order stays as it is."""
    if hasattr(config, "workerinput"):
        from .times import kept
        from .workers import group, longest_first

        names = longest_first((item.nodeid for item in items), kept())
        order = {name: place for place, name in enumerate(names)}
        items.sort(key=lambda item: order[group(item.nodeid)])


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session", autouse=True)
def shared_caches() -> None:
    """Compiled kernels and extensions go where the programs of the book keep theirs."""
    os.environ.update(caches())


@pytest.fixture(scope="session")
def wheel() -> Wheel:
    """The installed torch."""
    return Wheel.find()


@pytest.fixture(scope="session")
def sources(wheel: Wheel) -> Evidence:
    """The wheel alone: text, no tree, no witnesses."""
    return Evidence(wheel)


@pytest.fixture(scope="session")
def libraries(wheel: Wheel) -> Libraries:
    """The wheel's libraries; a platform whose libraries cannot be searched says so and skips."""
    libraries = Libraries(wheel.libraries)
    try:
        libraries.search(rows())  # one search for what most tests ask
    except BookError as error:
        if error.rule != "witness-platform":
            raise
        pytest.skip(str(error))
    return libraries


@pytest.fixture(scope="session")
def searched(wheel: Wheel, libraries: Libraries) -> Evidence:
    """The wheel and its libraries, and no checkout of the person who runs the tests."""
    return Evidence(wheel, None, libraries)


@pytest.fixture(scope="session")
def debugger() -> Iterator[Debugger]:
    """One gdb for every call path: it reads torch's symbols once."""
    with Debugger() as gdb:
        yield gdb


@pytest.fixture(scope="session")
def fork_server() -> Iterator[ForkServer]:
    """Processes that have imported torch, for the programs, exercises and claims of this one."""
    with ForkServer() as server:
        yield server


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One Chromium for all that is drawn: Playwright begins once in a process."""
    from playwright.sync_api import sync_playwright

    from .tools import need

    program = need("browser", find_browser())
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=FLAGS)
        yield chromium
        chromium.close()
