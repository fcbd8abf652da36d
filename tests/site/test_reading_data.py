"""A reader follows a route: the foot of an article, the route's page, the landing page, a file to keep."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest
from inside_torch.book.article_summary import ArticleSummary, article_summaries
from inside_torch.book.curriculum import load
from inside_torch.book.whole_book import Book

from .conftest import ROOT

KEY = "inside-torch.reading"
FIRST = "module-02-autograd/recording-the-graph"


@cache
def summaries() -> dict[str, ArticleSummary]:
    """What each article says of itself."""
    return article_summaries(Book.load(ROOT), "en")


def way() -> list[str]:
    """The written articles of the beginner's route, in its order."""
    curriculum, written = load(ROOT), summaries()
    return [slug for slug in curriculum.path(curriculum.routes["beginner"].branches[0]) if slug in written]


def kept(page) -> dict:
    return json.loads(page.evaluate("key => localStorage.getItem(key)", KEY))


def follow(tab) -> None:
    tab.open("en/routes/beginner/").get_by_role("button", name="Follow this route").click()


def test_a_route_that_is_followed_leads_from_article_to_article(tab):
    follow(tab)
    before, here, after = way()[:3]
    page = tab.reach(f"en/{here}/")
    links = page.locator(".reading-way a").all()
    assert [link.get_attribute("href").removeprefix(f"{tab.url}en/") for link in links] == [
        "routes/beginner/",
        f"{before}/",
        f"{after}/",
    ]
    assert not page.locator(".md-footer__inner").is_visible()
    links[2].click()
    page.wait_for_url(f"**/en/{after}/")
    # After instant navigation too.
    page.locator(f"aside.reading[data-slug='{after}'] button").wait_for()


def test_the_order_of_the_navigation_leads_on_where_no_route_does(tab):
    page = tab.reach(f"en/{FIRST}/")
    assert page.locator(
        ".md-footer__inner a[rel=next], .md-footer__inner .md-footer__link--next"
    ).is_visible()
    follow(tab)
    page = tab.open("en/glossary/")
    assert page.locator(".md-footer__inner").is_visible()


def test_what_is_read_is_counted_and_no_longer_next(tab):
    follow(tab)
    first, second = way()[:2]
    page = tab.reach(f"en/{first}/")
    page.get_by_role("button", name="Mark as read").click()
    assert page.get_by_role("button", name="Read").get_attribute("aria-pressed") == "true"
    assert f"1 of {len(way())} read" in page.inner_text(".reading-way")
    page = tab.open("en/routes/beginner/")
    titles = page.locator("li.it-read a.it-step-title").all_inner_texts()
    assert titles == [summaries()[first].title]
    assert summaries()[second].title in page.inner_text("section .reading")
    assert page.locator("section .reading progress").evaluate("bar => [bar.value, bar.max]") == [
        1,
        len(way()),
    ]


def test_a_route_that_is_read_to_its_end_leads_to_the_others(tab):
    follow(tab)
    read = kept(tab.page) | {"read": dict.fromkeys(way(), "2026-01-01")}
    tab.page.evaluate("([key, kept]) => localStorage.setItem(key, kept)", [KEY, json.dumps(read)])
    page = tab.reach(f"en/{way()[-1]}/")
    assert f"all {len(way())} read" in page.inner_text(".reading-way")
    page.get_by_role("link", name="Choose another route").click()
    page.wait_for_url("**/en/routes/")


def test_what_is_read_is_marked_in_the_navigation_and_on_the_module_s_page(tab):
    page = tab.reach(f"en/{FIRST}/")
    marked = page.locator(".md-nav--primary a.it-read, article a.it-read")
    assert not marked.count()
    page.get_by_role("button", name="Mark as read").click()
    assert marked.evaluate_all("(all) => all.map((link) => link.href)") == [page.url]
    page = tab.open("en/module-02-autograd/")
    assert marked.evaluate_all("(all) => all.map((link) => link.href)") == [f"{tab.url}en/{FIRST}/"] * 2


def test_the_time_left_is_that_of_the_unread(tab):
    minutes = sum(summaries()[slug].minutes for slug in way())
    said = tab.open("en/routes/beginner/").inner_text("section .reading p")
    hours, rest = re.search(r"read, (?:(\d+) h)? ?(?:(\d+) min)? left", said).groups(default=0)
    assert int(hours) * 60 + int(rest) == minutes


def test_the_landing_page_goes_on_where_the_reader_left(tab):
    assert not tab.open("en/").locator(".reading-continue").is_visible()
    tab.reach(f"en/{FIRST}/")
    assert tab.open("en/").locator(".reading-continue a").get_attribute("href") == f"{tab.url}en/{FIRST}/"
    assert tab.open("zh/").locator(".reading-continue a").get_attribute("href") == f"{tab.url}zh/{FIRST}/"


def test_progress_is_taken_along_in_a_file(tabs, tmp_path):
    one, other = tabs(), tabs()
    page = one.reach(f"en/{FIRST}/")
    page.get_by_role("button", name="Mark as read").click()
    page = one.open("en/routes/beginner/")
    with page.expect_download() as download:
        page.get_by_role("button", name="Save my progress").click()
    file = tmp_path / "progress.json"
    download.value.save_as(file)
    page = other.open("en/routes/beginner/")
    page.locator(".reading-files input").set_input_files(file)
    page.get_by_text("1 articles marked as read").wait_for()
    assert kept(page)["read"].keys() == {FIRST}


def test_a_file_that_is_no_progress_changes_nothing(tab, tmp_path):
    file = tmp_path / "other.json"
    page = tab.open("en/routes/beginner/")
    for text in ("", "[]", "null", '{"read": null}', '{"read": 3}', '{"route": "beginner/0"}', "<script>"):
        file.write_text(text)
        page.locator(".reading-files input").set_input_files(file)
        said = page.get_by_text("holds no progress of this book")
        said.wait_for()
        assert page.evaluate("key => localStorage.getItem(key)", KEY) is None, text
        said.evaluate("(said) => said.textContent = ''")


def test_what_is_in_the_file_never_becomes_part_of_the_page(tab, tmp_path):
    file = tmp_path / "hostile.json"
    hostile = {"<img src=x onerror=alert(1)>": "2026-01-01", FIRST: "<b>", f"{FIRST}x": "2026-01-01"}
    file.write_text(json.dumps({"route": "<b>", "last": "<b>", "read": hostile}))
    page = tab.open("en/routes/beginner/")
    page.locator(".reading-files input").set_input_files(file)
    page.get_by_text("articles marked as read").wait_for()
    assert kept(page)["read"].keys() == {f"{FIRST}x"}
    assert page.locator("article img, article b").count() == 0
    assert not tab.open("en/").locator(".reading-continue").is_visible()


def test_storage_that_is_broken_is_begun_anew(tab):
    page = tab.open("en/routes/beginner/")
    page.evaluate("key => localStorage.setItem(key, '{')", KEY)
    assert "0 of" in tab.open("en/routes/beginner/").inner_text("section .reading")


def test_without_a_script_the_route_leads_the_way(tabs):
    tab = tabs(java_script_enabled=False)
    tab.page.goto(f"{tab.url}en/routes/beginner/")
    links = tab.page.locator(".it-route-steps a").all()
    assert len(links) == len(way())
    links[0].click()
    tab.page.wait_for_url(f"**/en/{way()[0]}/")
    assert not tab.page.locator("aside.reading").is_visible()


def shown_lines(page) -> list[list[int]]:
    """The first and the last line of each row of the source index that is shown."""
    lines = "(rows) => rows.map(({dataset}) => [Number(dataset.first), Number(dataset.last)])"
    return page.locator(".it-source li:visible").evaluate_all(lines)


def test_the_source_index_is_searched_by_path_line_and_symbol(visit):
    page = visit("en/source-index/")
    for wanted, shown in (
        ("torch/autograd/graph.py", "torch/autograd/graph.py"),
        ("/home/me/pytorch/torch/autograd/graph.py:975", "torch/autograd/graph.py"),
        ("_engine_run_backward", "torch/autograd/graph.py"),
        ("nothing of this name", None),
        ("", "torch/autograd/graph.py"),
    ):
        page.locator(".it-sources-search").fill(wanted)
        paths = page.locator(".it-source:visible").evaluate_all("(all) => all.map((one) => one.dataset.path)")
        assert (shown in paths) if shown else not paths, wanted
        if ":" in wanted:
            assert all(first <= 975 <= last for first, last in shown_lines(page))


@pytest.mark.parametrize(
    "pasted",
    [
        "autograd/graph.py:975",
        "torch/autograd/graph.py:975:5",
        "autograd/graph.py, line 975",
        "torch/autograd/graph.py(975): _engine_run_backward",
        "torch/autograd/graph.py#L975",
        "https://github.com/pytorch/pytorch/blob/main/torch/autograd/graph.py#L975-L980",
        'File "/opt/lib/python3.12/site-packages/torch/autograd/graph.py", line 975, in _engine_run_backward',
        """Traceback (most recent call last):
          File "train.py", line 3, in <module>
          File "/opt/lib/python3.12/site-packages/torch/autograd/graph.py", line 975, in _engine_run_backward
            return Variable._execution_engine.run_backward(
        RuntimeError: element 0 of tensors does not require grad""",
    ],
)
def test_what_names_a_line_leads_to_it(visit, pasted):
    page = visit("en/source-index/")
    page.locator(".it-sources-search").fill(pasted)
    paths = page.locator(".it-source:visible").evaluate_all("(all) => all.map((one) => one.dataset.path)")
    assert paths == ["torch/autograd/graph.py"]
    rows = shown_lines(page)
    assert rows and all(first <= 975 <= last for first, last in rows)


@pytest.mark.parametrize("pasted", ["graph.py:975", "graph.py, line 975"])
def test_the_last_name_of_a_file_shows_the_files_of_that_name(visit, pasted):
    page = visit("en/source-index/")
    page.locator(".it-sources-search").fill(pasted)
    paths = page.locator(".it-source:visible").evaluate_all("(all) => all.map((one) => one.dataset.path)")
    assert "torch/autograd/graph.py" in paths
    assert {path.rpartition("/")[2] for path in paths} == {"graph.py"}


@pytest.mark.parametrize("pasted", ["#L975", "L975-L980", ":975:5", "line 975"])
def test_a_line_without_its_file_shows_the_files_where_that_line_is_explained(visit, pasted):
    page = visit("en/source-index/")
    page.locator(".it-sources-search").fill(pasted)
    rows = shown_lines(page)
    assert rows and all(first <= 975 <= last for first, last in rows)
    assert page.locator(".it-source[data-path='torch/autograd/graph.py']").is_visible()
    assert "Put the file's name before it" in page.locator(".it-sources-search + p").inner_text()


def test_a_line_that_nobody_explains_shows_the_rest_of_its_file(visit):
    page = visit("en/source-index/")
    page.locator(".it-sources-search").fill("torch/autograd/graph.py:1")
    assert "No article explains that line" in page.locator(".it-sources-search + p").inner_text()
    assert page.locator(".it-source li:visible").count() > 1
    page.locator(".it-sources-search").fill("nothing of this name")
    assert "Try the file's name" in page.locator(".it-sources-search + p").inner_text()


def test_the_box_of_the_index_comes_first_and_stands_in_the_address(tab):
    page = tab.open("en/source-index/?find=autograd%2Fgraph.py%3A975")
    box = page.locator("h1 + .it-sources-search")
    assert box.input_value() == "autograd/graph.py:975"
    assert box.evaluate("(box) => box === document.activeElement")
    assert page.locator(".it-source:visible").count() == 1
    box.fill("engine.cpp")
    assert page.url.endswith("?find=engine.cpp")
