"""The first use of a term in an article leads to its meaning; links, code and headings stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from .small_book import fence

GOOD = Path(__file__).parent.parent / "fixtures" / "book" / "docs" / "glossary.yml"


@pytest.fixture(autouse=True)
def terms(book):
    """The small book has two terms."""
    file = book / "docs" / "glossary.yml"
    file.write_text(GOOD.read_text())
    yield file
    file.unlink()


@pytest.fixture
def article(converter, tmp_path):
    """Draws Markdown as an article of a module, below a folder that has the page of the terms."""
    (tmp_path / "glossary.md").write_text("")

    def drawn(markdown: str, place: str = "module-01-x/a.md", **options: str) -> BeautifulSoup:
        page = tmp_path / place
        page.parent.mkdir(exist_ok=True)
        page.write_text(markdown)
        html = converter(page, src_uri=place, **options).convert(markdown)
        return BeautifulSoup(html, "html.parser")

    return drawn


def test_the_first_use_is_a_link_that_tells_the_meaning(article):
    drawn = article("Each carry of a sum, and *every carry* after it.")
    first, second = drawn("a")
    assert (first.text, first["href"]) == ("carry", "../glossary.md#term-carry")
    assert first["aria-description"] == "What a column hands on to the column on its left."
    assert (second.text, second["href"]) == ("sum", "../glossary.md#term-sum")
    assert drawn.p.text == "Each carry of a sum, and every carry after it."


def test_links_code_and_headings_stay(article):
    drawn = article("# A sum {#a}\n\n[a sum](x.md) `sum` ![sum](x.png)\n\n```text\nsum\n```\n\nThe sum.")
    [link] = drawn(class_="it-term")
    assert link.parent.text == "The sum."


def test_a_term_is_found_inside_emphasis_and_after_it(article):
    drawn = article("One **sum** and the carries.")
    assert [link.text for link in drawn(class_="it-term")] == ["sum", "carries"]
    assert drawn.p.text == "One sum and the carries." and drawn.strong.a.text == "sum"


def test_a_part_of_a_word_is_no_term(article):
    assert not article("Carryall and summer.")(class_="it-term")


def test_chinese_words_need_no_blanks(article):
    drawn = article("每一列的进位和结果。", language="zh")
    assert [link.text for link in drawn(class_="it-term")] == ["进位", "和"]


@pytest.mark.parametrize("place", ["module-01-x/index.md", "contributing/a.md"])
def test_only_articles_have_terms(article, place):
    assert not article("A sum.", place)(class_="it-term")


def test_the_page_lists_them_by_name_with_where_they_are_explained(draw):
    drawn = draw(fence("glossary", "all"))
    assert [(name.text, name["id"]) for name in drawn("h2")] == [("carry", "term-carry"), ("sum", "term-sum")]
    [example] = drawn(class_="it-example")
    assert example.find_previous_sibling("h2")["id"] == "term-carry"
    assert example.pre.code.text == "print(divmod(7 + 5, 10))\n#> (1, 2)"
    assert [link["href"] for link in drawn("a")] == [
        "module-01-sums/carry.md#concepts",
        "module-01-sums/add.md#concepts",
    ]
