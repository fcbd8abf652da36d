"""Code in backticks is shown as code, also where a page takes its text from elsewhere: questions, terms."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from inside_torch.site.publish import build_site

from .shown import code_and_text, told
from .small_book import ARTICLE, edit, small_book

QUESTION = "question: What is a sum?"


def raw(page: Path) -> list[str]:
    """What a page shows with a backtick in it, code and scripts apart."""
    written = page.read_text("utf-8")
    _, text = code_and_text(written)
    return [line.strip() for line in [*text.splitlines(), *told(written)] if "`" in line]


def test_no_page_shows_a_backtick(site):
    pages = list(site.folder.rglob("*.html"))
    assert len(pages) > 40
    assert {page.relative_to(site.folder).as_posix(): found for page in pages if (found := raw(page))} == {}


def test_a_backtick_that_is_shown_is_found(tmp_path):
    page = tmp_path / "page.html"
    page.write_text("<meta name=description content='`a`'><p>the `b`</p><code>`c`</code>", "utf-8")
    assert raw(page) == ["the `b`", "`a`"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_question_of_an_article_has_its_code_and_its_description_is_plain(tmp_path, language):
    book = small_book(tmp_path)
    edit(book, ARTICLE, QUESTION, 'question: "What is `a < b` for \\"two\\" numbers?"')
    if language == "zh":
        text = (book / ARTICLE).read_text("utf-8").replace("What is", "何为")
        chinese = book / ARTICLE.replace("/en/", "/zh/")
        chinese.parent.mkdir(parents=True)
        chinese.write_text(text.replace("---\n", "---\ntranslated_from: none\nbehind: true\n", 1), "utf-8")
    build_site(book, book / "site", strict=True, languages=(language,), url="http://127.0.0.1:9/")
    page = book / "site" / language / "module-01-sums/add/index.html"
    tree = BeautifulSoup(page.read_text("utf-8"), "html.parser")
    asked = tree.find(class_="article-question")
    begins = "何为" if language == "zh" else "What is"
    assert asked.text == f'{begins} a < b for "two" numbers?' and asked.code.text == "a < b"
    assert tree.find("meta", attrs={"name": "description"})["content"] == asked.text
