"""An article as a walk: every stop is a line that the page speaks of, in the words of the page."""

from __future__ import annotations

import json
import re

import pytest
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import COMMIT
from inside_torch.render.tours import code_tour, listing, plain, steps

from .small_book import EDGE, FILE, FLAG, GENERATED, GRAPH, QUEUE, fence

SLUG = "module-02-x/edges"


@pytest.fixture
def article(book):
    """An article of the small book with an excerpt, a step, links and places that no checkout has."""
    page = book / "docs" / "en" / f"{SLUG}.md"
    page.parent.mkdir(parents=True)
    lines = [
        "---",
        "title: Edges",
        "---",
        "",
        "# Edges {#edges}",
        "",
        f"A [flag](<{FLAG}>), [the file]({FILE}), [generated]({GENERATED}).",
        "",
        "## Running {#running}",
        "",
        fence("excerpt", GRAPH, "", f"`t_outputs,`: The `tensors`, see [the edge]({EDGE})."),
        fence("excerpt", QUEUE, "", "1. It chooses a queue.", "2. `0 <= device.index()`: Checked here."),
        f"Again the [flag](<{FLAG}>).",
    ]
    page.write_text("\n".join(lines))
    yield page
    page.unlink()
    page.parent.rmdir()


def test_every_stop_is_a_line_of_its_pin(book, article):
    lock = PinLock.load(book)
    found = [(stop.file, stop.line, stop.anchor) for stop in steps(Book.load(book), SLUG, PinLock.load(book))]
    graph, queue = lock.pin(GRAPH), lock.pin(QUEUE)
    noted = next(
        n for n, text in enumerate(lock.excerpt(GRAPH).lines, graph.first) if re.search(r"t_outputs,", text)
    )
    checked = next(one.line for one in queue.witnesses if "device.index()" in one.text)
    assert found == [
        ("torch/csrc/autograd/edge.h", lock.pin(FLAG).first, "edges"),
        ("torch/autograd/graph.py", noted, "running"),
        ("torch/csrc/autograd/edge.h", lock.pin(EDGE).first, "running"),
        ("torch/csrc/autograd/engine.cpp", queue.first, "running"),
        ("torch/csrc/autograd/engine.cpp", checked, "running"),
    ], "in page order; no stop for a file, for what is generated, or for a second link to the same line"


def test_the_tour_is_for_the_pinned_commit_and_leads_back(book, article):
    tour = json.loads(code_tour(SLUG, "Edges", steps(Book.load(book), SLUG, PinLock.load(book))))
    assert tour["ref"] == COMMIT and tour["title"] == "Inside Torch: Edges"
    assert tour["steps"][1]["description"].startswith("The `tensors`, see the edge.\n\n[Running](https://")
    assert tour["steps"][1]["description"].endswith(f"/en/{SLUG}/#running)")


def test_the_list_is_one_that_editors_read(book, article):
    lines = listing(steps(Book.load(book), SLUG, PinLock.load(book))).splitlines()
    assert all(re.fullmatch(r"[\w/.]+:\d+: \S.*", line) for line in lines)
    assert lines[3].endswith(": It chooses a queue.")


def test_an_unknown_article_names_the_nearest(book, article):
    with pytest.raises(BookError, match="tour-article") as raised:
        steps(Book.load(book), "module-02-x/edge", PinLock.load(book))
    assert raised.value.nearest == SLUG


@pytest.mark.parametrize("slug", ["", "index", "../../etc/passwd", "edges"])
def test_what_is_no_article_is_one_error(book, article, slug):
    with pytest.raises(BookError, match="tour-article"):
        steps(Book.load(book), slug, PinLock.load(book))


def test_links_become_words():
    assert plain("a [b](src:a.h::f(int)) and\n[c](<src:a.h#x y>).") == "a b and c."
