"""Paragraphs and sentences of a page, and which of them are open."""

from __future__ import annotations

import pytest
from inside_torch.book.language import ENGLISH
from inside_torch.book.open_sentences import open_sentences
from inside_torch.book.page import Page
from inside_torch.book.sentences import Prose

FENCE = """```python {id="shown"}
print(1)
#> 1
```
"""


@pytest.fixture
def page(tmp_path):
    """A page of Concepts, made of the text that is given."""

    def make(text: str) -> Page:
        file = tmp_path / ENGLISH.docs / "module-01-a" / "b.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        front = "---\ntitle: B\nquestion: What?\nrequires: []\nminutes: 5\nhardware: cpu\n---\n"
        file.write_text(f"{front}\n# B {{#b}}\n\n## Concepts {{#concepts}}\n\n{text}\n")
        loaded = Page.load(tmp_path, file, ENGLISH)
        assert not loaded.errors
        return loaded

    return make


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two? Three!", ["One.", "Two?", "Three!"]),
        ("See e.g. Python. In 2.13.0 it is so.", ["See e.g. Python.", "In 2.13.0 it is so."]),
        ("It calls `a. B`. `c.d` follows.", ["It calls `a. B`.", "`c.d` follows."]),
        ("One (a. B) is. Two\nlines.", ["One (a. B) is.", "Two lines."]),
        ("One. ([proof](#x), [two](#y)) Two.", ["One. ([proof](#x), [two](#y))", "Two."]),
        ("One. <!-- open: why --> Two.", ["One. <!-- open: why -->", "Two."]),
        ("- One. Two.\n- Three\n  goes on.", ["One.", "Two.", "Three goes on."]),
        ("| a | b. C |\n|---|---|\n| d | e |", ["| a | b. C |", "|---|---|", "| d | e |"]),
        ('He said "No." Then he left.', ['He said "No."', "Then he left."]),
        ("It was torch. add it is.", ["It was torch. add it is."]),
    ],
)
def test_a_text_is_split_where_its_sentences_end(page, text, expected):
    prose = Prose(page(text))
    assert [one.text for part in prose.paragraphs for one in prose.sentences(part)] == expected


@pytest.mark.parametrize(
    "text",
    [
        "Each one runs.",
        "It runs, so it ends.",
        "So it ends.",
        "There is no way other than this.",
        "It waits since it must.",
        "Each runs ([how](https://example.org)).",
        f"Each runs.\n\nA remark.\n\n{FENCE}",
        "Each runs.\n\n```mermaid\nflowchart TD\n  A\n```\n",
        "- Each runs.\n- Two.\n\n" + FENCE,
        "```excerpt\nsrc:a/b.cpp::f\n\n1. Each runs.\n```\n",
        "```excerpt\nsrc:a/b.cpp::f\nid: c\n\n1. One.\n```\n\nEach runs ([steps](#c)).",
    ],
)
def test_a_sentence_that_claims_much_is_open(page, text):
    assert len(open_sentences(page(text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "It runs.",
        "Does each run?",
        "`each` is a name.",
        "It has been there since 2.1.",
        "It is so far away that it ends so.",
        "It stops, so that others run.",
        "Each [runs](src:a/b.py::c).",
        "Each [runs](claim:runs).",
        f"Each [runs](#shown).\n\nA remark.\n\n{FENCE}",
        f"Each runs.\n\n{FENCE}",
        f"{FENCE}\nIt runs. Each ends.",
        "```excerpt\nsrc:a/b.py::f\n\n`x`: Each runs.\n```\n",
    ],
)
def test_a_sentence_that_claims_little_or_has_its_proof_is_not(page, text):
    assert open_sentences(page(text)) == []


def test_a_reason_closes_a_sentence_and_is_told(page):
    (found,) = open_sentences(page("Each runs. <!-- open: a vendor's matter --> It ends."))
    assert (found.reason, found.text) == ("a vendor's matter", "Each runs.")
