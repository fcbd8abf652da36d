"""Words that claim carry what was counted, and the end of the page how."""

from __future__ import annotations

import pytest
from inside_torch.book.claims import Count, Counts, Other, claims_of
from inside_torch.errors import BookError
from inside_torch.render.plain import plain

ARTICLE = "module-01-sums/less"
CODE = '''from inside_torch.claims import counted

MOST = 3


def pairs():
    return {str(a): a for a in range(MOST)}


def unused():
    return 5


@counted(pairs, planted=-1)
def no_less(a):
    """A sum with `+` is no less than <b>its parts</b>."""
    return a >= 0


@counted(pairs, planted=1)
def not_one(a):
    """No number is one."""
    return a != 1
'''


@pytest.fixture(scope="module")
def claimed(book):
    """The small book with two claims, the second with six exceptions."""
    file = book / "snippets" / ARTICLE / "claims.py"
    file.parent.mkdir(parents=True)
    file.write_text(CODE)
    known = claims_of(book, ARTICLE)
    exceptions = {"no-less": [], "not-one": ["a", "b", "c", "d", "e", "f"]}
    Counts(
        article=ARTICLE,
        release="2.13.0",
        build="cpu",
        claims={
            name: Count(
                sentence=claim.sentence,
                code_digest=claim.digest,
                population="pairs",
                count=2120,
                exceptions=exceptions[name],
            )
            for name, claim in known.items()
        },
        others={"no-less": [Other(release="2.15.0", build="cpu", count=2134, exceptions=["x"])]},
    ).dump(Counts.file(book, ARTICLE))
    return book


def test_the_words_tell_the_count_and_lead_to_it(claimed, draw):
    drawn = draw(f"It [is *so*](claim:{ARTICLE}/no-less), as is said.")
    words = drawn.p.a
    assert words.text == "is so" and words.em.text == "so" and drawn.p.text == "It is so, as is said."
    assert words["data-count"] == "counted on torch 2.13.0: 2,120 of 2,120"
    assert drawn.find(id=words["href"][1:]).find_parent("details")
    assert drawn.find(id=words["aria-describedby"]).text == words["data-count"]


def test_exceptions_are_named_few_where_there_is_little_room_and_all_below(claimed, draw):
    drawn = draw(f"[No](claim:{ARTICLE}/not-one).")
    assert drawn.p.a["data-count"].endswith("2,114 of 2,120; not a, b, c, d and 2 more")
    names = [code.text for code in drawn.find(class_="it-claim-exceptions")("code")]
    assert names == ["a", "b", "c", "d", "e", "f"]


def test_the_end_of_the_page_has_each_claim_once_with_its_code(claimed, draw):
    drawn = draw(
        f"[A](claim:{ARTICLE}/not-one) and [b](claim:{ARTICLE}/no-less).\n\n[C](claim:{ARTICLE}/not-one)."
    )
    assert drawn.h2["id"] == "counted-claims" and drawn.h2.text == "Counted claims"
    entries = drawn("details")
    assert [entry.find(class_="it-claim-sentence").text for entry in entries] == [
        "No number is one.",
        "A sum with + is no less than <b>its parts</b>.",
    ]
    listed = entries[1].pre.text
    assert "def no_less" in listed and "MOST = 3" in listed and "def pairs" in listed
    assert "unused" not in listed and "not_one" not in listed
    assert f"inside-torch count {ARTICLE}#no-less --check" in entries[1].text
    assert "On torch 2.15.0: 2,133 of 2,134." in entries[1].text


def test_in_chinese_it_says_the_same(claimed, draw):
    drawn = draw(f"[是](claim:{ARTICLE}/not-one)。", language="zh")
    assert "2.13.0" in drawn.p.a["data-count"] and "2,114" in drawn.p.a["data-count"]
    assert drawn.find(class_="it-claim-sentence")["lang"] == "en"


def test_what_was_counted_stands_in_the_prose(claimed, draw):
    drawn = draw(
        f"{{{{ claim:{ARTICLE}/not-one.holds }}}} of {{{{ claim:{ARTICLE}/not-one.count }}}}, "
        f"not the {{{{ claim:{ARTICLE}/not-one.exceptions }}}}: {{{{ claim:{ARTICLE}/not-one.names }}}}."
    )
    assert drawn.p.text == "2,114 of 2,120, not the 6: a, b, c, d, e, f."
    assert len(drawn.p("code")) == 6


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (f"[x](claim:{ARTICLE}/no-more)", "claim"),
        (f"{{{{ claim:{ARTICLE}/not-one.sum }}}}", "claim-value"),
    ],
)
def test_a_claim_that_is_not_there_is_an_error(claimed, draw, text, rule):
    with pytest.raises(BookError) as raised:
        draw(text)
    assert raised.value.rule == rule


def test_a_page_with_no_claim_has_no_such_section(draw):
    assert draw("[x](#y)").find(id="counted-claims") is None


def test_in_the_plain_copy_a_claim_is_a_footnote(claimed):
    told = plain(
        claimed,
        "# T\n\nAll [are](claim:not-one), {{ claim:not-one.holds }} of them, `[x](claim:y)`.\n\n"
        "[So](claim:not-one).",
        ARTICLE,
    )
    assert "All are[^claim-not-one], 2,114 of them, `[x](claim:y)`." in told
    assert told.count("[^claim-not-one]:") == 1
    assert (
        "No number is one. Counted on torch 2.13.0: 2,114 of 2,120; not `a`, `b`, `c`, `d` and 2 more."
        in told
    )
