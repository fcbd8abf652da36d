"""A route is drawn from the curriculum: what is written is linked, what is not is shown as such."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError

from .small_book import fence


@pytest.fixture(autouse=True)
def written(book):
    """One article of the small book's curriculum is written."""
    page = book / "docs" / "en" / "module-01-sums" / "add.md"
    page.parent.mkdir(parents=True, exist_ok=True)
    page.write_text("---\ntitle: Adding\nquestion: What is `1 + 1`?\nminutes: 75\n---\n")
    yield page
    page.unlink()


def test_a_written_article_is_linked_with_its_own_question(draw):
    first, *_ = draw(fence("route", "all")).find(class_="it-route-steps")("li")
    assert (first.a.text, first.a["href"]) == ("Adding", "module-01-sums/add.md")
    assert first.find(class_="it-step-question").code.text == "1 + 1"
    assert first.small.text == "75 min"


def test_what_is_not_written_has_no_link_and_says_so(draw):
    drawn = draw(fence("route", "all"))
    _, second, third = drawn.find(class_="it-route-steps")("li")
    assert not second("a") and not third("a")
    assert second.small.text == "planned" and "Where does the carry go?" in second.text
    boxes = drawn.find(class_="it-route-chart")("li")
    assert [box.small.text for box in boxes] == ["1 of 2 articles written", "0 of 1 articles written"]
    assert [bool(box("a")) for box in boxes] == [True, False]


def test_what_a_route_takes_as_read_stands_before_it(draw):
    drawn = draw(fence("route", "short"))
    assert drawn.find(class_="it-route-needs").text == "Read before: 01 Sums"
    assert drawn.h2.text == "Products" and drawn.section["data-route"] == "short/0"


def test_in_chinese_a_missing_translation_keeps_the_english_title(draw):
    drawn = draw(fence("route", "all"), language="zh")
    assert [
        item.a.text if item.a else item.span.text for item in drawn(class_="it-route-steps")[0]("li")
    ] == [
        "Adding",
        "进位",
        "乘",
    ]


def test_an_unknown_route_names_the_nearest(draw):
    with pytest.raises(BookError, match="route-unknown") as raised:
        draw(fence("route", "al"))
    assert raised.value.nearest == "all"
