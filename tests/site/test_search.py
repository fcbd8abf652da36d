"""What readers search for leads to the page and the section, in both languages, and costs nothing before."""

from __future__ import annotations

import json
import re
import subprocess
import time
from functools import cache
from pathlib import Path

import pytest
from inside_torch import yaml_file
from inside_torch.book.fence_kinds import ExcerptFence
from inside_torch.book.whole_book import Book
from inside_torch.pins.address import Address, collapse
from inside_torch.site.npm import node
from inside_torch.site.rows import PLACES, sections, with_ids

from .conftest import PATIENCE, Site, until

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "search"
SEARCHES = yaml_file.value((FIXTURES / "searches.yml").read_text("utf-8"))
#: How many pages a reader looks at, and how many sections of each are open.
FIRST = 3
#: Pages that tell of this book, not of PyTorch.
ABOUT = ("contributing/", "releases/", "source-index/", "proof/", "about/", "notice/")
#: Names of PyTorch as readers write them, and what they are called in an address.
NAMES = {
    "Engine::execute": "Engine::execute",
    "_engine_run_backward": "_engine_run_backward",
    "add.Tensor": "add.Tensor",
    "aten::add.Tensor": "add.Tensor",
    "torch.autograd.graph._engine_run_backward()": "_engine_run_backward",
}
PLAIN_WORD, NOWHERE = "checkpoint", "xyzzyxq qwfpgjx"


@cache
def answers(folder: Path, language: str) -> dict[str, list[list[str]]]:
    """The pages that the site's own worker finds for each question, each as the addresses of its sections.

    All that a language is asked, since a worker that begins has its whole index to read.
    """
    worker = folder / language / "assets" / "search.js"
    questions = [*SEARCHES[language], *NAMES, PLAIN_WORD, NOWHERE]
    done = subprocess.run(
        [node(), FIXTURES / "ask.mjs", worker],
        input=json.dumps(questions),
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    )
    return dict(zip(questions, json.loads(done.stdout), strict=True))


@pytest.mark.parametrize(
    ("language", "question"), [(each, question) for each in SEARCHES for question in SEARCHES[each]]
)
def test_the_place_is_among_the_first_three_pages(site: Site, language: str, question: str):
    pages = answers(site.folder, language)[question][:FIRST]
    shown = [section for page in pages for section in page[:FIRST]]
    wanted = SEARCHES[language][question]
    assert any(section == place or section.split("#")[0] == place for section in shown for place in wanted), (
        shown
    )
    assert not [page[0] for page in pages if page[0].startswith(ABOUT)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", NAMES)
def test_a_name_leads_to_its_excerpts_in_all_articles(site: Site, language: str, name: str):
    shown: dict[str, set[str]] = {}
    for page in Book.load(ROOT).articles:
        for block in page.of(ExcerptFence) if page.is_english else ():
            if Address.parse(collapse(block.subject)).symbol == NAMES[name]:
                shown.setdefault(page.slug, set()).add(f"{page.slug}/#{block.id}")
    assert shown
    group = answers(site.folder, language)[name][0]
    assert group[-1].startswith("source-index/?find=")
    first = group[: len(shown)]  # the excerpts come before paths and mentions
    assert all(any(place in places for place in first) for places in shown.values()), group


def test_a_name_that_is_a_plain_word_leaves_the_first_places_to_the_text(site: Site):
    pages = answers(site.folder, "en")[PLAIN_WORD]
    groups = [page[-1].startswith("source-index/?find=") for page in pages[: FIRST + 1]]
    assert groups == [False] * FIRST + [True]


def test_what_stands_nowhere_finds_nothing(site: Site):
    assert answers(site.folder, "en")[NOWHERE] == []


ROWS = "<table><thead><tr><th>a</th></tr></thead><tbody>"
ROWS += "<tr>\n<td>Don't <code>x.y</code></td>\n<td>one</td></tr>"
ROWS += "<tr><td>don't x.y</td><td>two</td><td>三</td></tr>"
ROWS += "</tbody></table>"


def test_each_row_has_an_id_of_its_words_and_is_a_section():
    content, rows = with_ids(ROWS)
    assert [row.id for row in rows] == ["don-t-x-y", "don-t-x-y--1"]
    assert content.count('<tr id="don-t-x-y">') == content.count('<tr id="don-t-x-y--1">') == 1
    docs = [{"location": place, "title": "", "text": f"<p>a</p> {ROWS}"} for place in (PLACES[0], "b/")]
    page, first, second, other = sections(docs, {PLACES[0]: rows})
    assert (page["text"], other) == ("<p>a</p>", docs[1])
    assert first == {
        "location": f"{PLACES[0]}#don-t-x-y", "title": "Don't <code>x.y</code>", "text": "<p>one</p>",
    }  # fmt: skip
    assert second["text"] == "<p>two</p><p>三</p>"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("place", PLACES)
def test_every_task_and_older_claim_is_a_section_and_a_place(site: Site, language: str, place: str):
    index = json.loads((site.folder / language / "search" / "sections.json").read_text("utf-8"))
    listed = [doc["location"].partition("#")[2] for doc in index if doc["location"].startswith(f"{place}#")]
    shown = re.findall(r'<tr id="([^"]+)">', site.file(f"{language}/{place}").read_text("utf-8"))
    text = (ROOT / "docs" / language / place.replace("/", ".md")).read_text("utf-8")
    assert listed == shown and len(set(shown)) == len(re.findall(r"^\| ", text, re.MULTILINE)) - 1


def test_a_task_that_is_found_is_led_to(tabs):
    page = tabs().open("en/")
    page.keyboard.press("/")
    page.keyboard.type("freezing weights")
    page.locator(".md-search-result__link[href*='i-want-to/#freeze-parameters']").click()
    page.wait_for_url("**/en/i-want-to/#freeze-parameters")
    row = page.locator("tr:target")
    assert "freeze parameters" in row.inner_text()
    until(page, "document.querySelector('tr:target').getBoundingClientRect().top > 90")
    assert row.evaluate("(row) => row.getBoundingClientRect().bottom < innerHeight")


def test_the_index_is_read_when_search_is_opened(tabs):
    tab = tabs()
    asked: list[str] = []
    tab.page.context.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    tab.open("en/module-02-autograd/running-backward/")
    heavy = {"sections.json", "symbols.json", "minisearch.js"}
    assert not heavy & set(asked)
    tab.page.keyboard.press("/")
    end = time.monotonic() + PATIENCE
    while not heavy <= set(asked):
        assert time.monotonic() < end
        tab.page.wait_for_timeout(50)
    assert tab.page.locator(".md-search__input").input_value() == ""


def test_a_word_is_typed_and_the_first_result_opened(tabs):
    tab = tabs()
    page = tab.open("en/")
    page.keyboard.press("/")
    page.keyboard.type("backward twice")
    first = page.locator(".md-search-result__link").first
    first.wait_for()
    marked = page.locator(".md-search-result mark").all_inner_texts()
    assert {mark.lower() for mark in marked} >= {"backward", "twice"}
    page.locator(".md-search-result__link[href*='errors/#backward-twice']").click()
    page.wait_for_url("**/en/errors/#backward-twice")
    page.locator("#backward-twice").wait_for()


def test_a_word_that_is_pasted_by_mouse_is_searched_for(tabs):
    tab = tabs()
    page = tab.open("en/")
    box = page.locator(".md-search__input")
    box.click()
    box.evaluate(
        """(box) => {
          box.value = "THPVariable_add";
          box.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertFromPaste"}));
        }"""
    )
    page.locator(".md-search-result__link[href*='one-add-end-to-end']").first.wait_for()
