"""What readers search for leads to the page and the section, in both languages, and costs nothing before."""

from __future__ import annotations

import json
import subprocess
import time
from functools import lru_cache
from pathlib import Path

import pytest
from inside_torch import yaml_file
from inside_torch.site.npm import node

from .conftest import PATIENCE, Site

FIXTURES = Path(__file__).parents[1] / "fixtures" / "search"
SEARCHES = yaml_file.value((FIXTURES / "searches.yml").read_text("utf-8"))
#: How many pages a reader looks at, and how many sections of each are open.
FIRST = 3
#: Pages that tell of this book, not of PyTorch.
ABOUT = ("contributing/", "releases/", "source-index/", "proof/", "about/", "notice/")


@lru_cache(maxsize=4)
def answers(folder: Path, language: str, questions: tuple[str, ...]) -> dict[str, list[list[str]]]:
    """The pages that the site's own worker finds for each question, each as the addresses of its sections."""
    worker = folder / language / "assets" / "search.js"
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
    pages = answers(site.folder, language, tuple(SEARCHES[language]))[question][:FIRST]
    shown = [section for page in pages for section in page[:FIRST]]
    wanted = SEARCHES[language][question]
    assert any(section == place or section.split("#")[0] == place for section in shown for place in wanted), (
        shown
    )
    assert not [page[0] for page in pages if page[0].startswith(ABOUT)]


def test_what_stands_nowhere_finds_nothing(site: Site):
    assert answers(site.folder, "en", ("xyzzyxq qwfpgjx",)) == {"xyzzyxq qwfpgjx": []}


def test_the_index_is_read_when_search_is_opened(tabs):
    tab = tabs()
    asked: list[str] = []
    tab.page.context.on("request", lambda request: asked.append(request.url.rsplit("/", 1)[-1]))
    tab.open("en/module-02-autograd/running-backward/")
    heavy = {"sections.json", "minisearch.js"}
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
