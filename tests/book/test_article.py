"""A page as data: what is read, and on which line."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inside_torch.book.fences import scan, split
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.book.rules.numbers import MEASURED
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from markdown import Markdown

ROOT = Path(__file__).parent.parent.parent
GOOD = ROOT / "tests" / "fixtures" / "book"
ADD = Path("docs/en/module-01-sums/add.md")


@pytest.fixture(scope="module")
def book():
    return Book.load(GOOD)


def page_of(tmp_path: Path, text: str) -> Page:
    """A page of its own with this text."""
    file = tmp_path / ENGLISH.docs / "page.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return Page.load(tmp_path, file, ENGLISH)


def test_lines_are_those_of_the_file(book):
    page, lines = book.pages[ADD], (GOOD / ADD).read_text().split("\n")
    assert all(f"{{#{heading.id}}}" in lines[heading.line - 1] for heading in page.headings)
    assert all(block.fence.language in lines[block.line - 1] for block in page.blocks)
    assert all(use.written.split("::")[0] in lines[use.line - 1] for use in page.uses)
    assert all(link.target in lines[link.line - 1] for link in page.links)
    assert lines[page.front_lines["hardware"] - 1] == "hardware: cpu"
    assert len(page.links) == 14 and len(page.blocks) == 16


def test_every_form_of_use_is_found(book):
    addresses = {use.written for use in book.pages[ADD].uses}
    assert addresses == {
        "src:torch/autograd/__init__.py::backward",  # a click of a flowchart
        "src:torch/autograd/__init__.py::grad",  # a link of a sequence diagram
        "src:torch/csrc/autograd/engine.cpp::Engine::execute",
        "src:torch/csrc/autograd/node.h::Node",  # a link
        "src:torch/csrc/autograd/edge.h::Edge#uint32_t input_nr;",  # a link with a blank
        "src:torch/csrc/autograd/edge.h",
        "src:torch/autograd/graph.py::_engine_run_backward",  # an excerpt
        "src:torch/autograd/graph.py::Node",  # in an annotation
        "src:torch/csrc/autograd/engine.cpp::Engine::ready_queue",
    }


@pytest.mark.parametrize(
    ("text", "targets"),
    [
        ("[a](b.md) and [c](<d e.md>)", ["b.md", "d e.md"]),
        ("[a `b]` c](d.md 'title')", ["d.md"]),
        ("[![image](i.svg)](b.md)", ["b.md", "i.svg"]),
        ("`[a](b.md)`", []),
        ("[a](src:x.h::F(int, std::vector<int>) )", ["src:x.h::F(int, std::vector<int>)"]),
        ("[a](<src:x.h::Edge#std::shared_ptr<Node> f>)", ["src:x.h::Edge#std::shared_ptr<Node> f"]),
        ("[a][b]\n\n[b]: c.md", ["c.md"]),
        ("    [a](b.md)", []),
        ("<!-- [a](b.md) -->\n<!--\n[a](b.md)\n-->", []),
    ],
)
def test_links(tmp_path, text, targets):
    assert [link.target for link in page_of(tmp_path, text).links] == targets


@pytest.mark.parametrize(
    "text",
    [
        "3 × faster",
        "2.5x",
        "10x",
        "ten times faster",
        "3 times as much",
        "twice as fast",
        "12 %",
        "5 percent",
        "40 ms",
        "3 s",
        "1.5s",
        "30 minutes",
        "8 MB",
        "1.2 GiB/s",
        "3 GHz",
        "12毫秒",
        "3 倍",
        "1000 µs",
    ],
)
def test_a_measured_number_is_known(text):
    assert MEASURED.search(f"It takes {text}, or so.")


@pytest.mark.parametrize(
    "text",
    [
        "64 bytes",
        "a 2 × 3 matrix",
        "2x2",
        "called 3 times",
        "in 2 of 3 cases",
        "float32",
        "C++17",
        "line 12",
        "0x7f",
        "torch 2.13.0",
        "4 stages",
        "the 1990s",
        "8 messages",
        "module-02",
        "x[2]",
        "2 mines",
        "3 B",
    ],
)
def test_a_fact_of_the_source_is_not_a_measured_number(text):
    assert not MEASURED.search(f"It holds {text}, or so.")


def test_a_page_that_is_no_utf_8_is_one_error(tmp_path):
    file = tmp_path / ENGLISH.docs / "page.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"# A\n\nna\xefve\n")
    (error,) = Page.load(tmp_path, file, ENGLISH).errors
    assert (error.rule, error.line) == ("encoding", 3)


MARKS = ["```", "````", "~~~", "```python", "    ", "- item", "> ", "<!--", "-->", "text", "", "`"]


@given(st.lists(st.sampled_from(MARKS)))
def test_no_text_breaks_the_scanner_and_no_line_is_lost(parts):
    text = "\n".join(parts)
    try:
        fences, prose, _ = split(text)
    except BookError as error:
        assert error.rule == "unclosed-fence"
        return
    assert prose.count("\n") == text.count("\n")
    lines = text.split("\n")
    for fence in fences:
        opening, closing = lines[fence.line - 1].lstrip(" >"), lines[fence.last_line - 1].lstrip(" >")
        assert closing[:3] in ("```", "~~~") and opening.removesuffix("python") == closing


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx\n```\n",
        "- a\n\n    ```python\n    x\n    ```\n",
        "- a\n    - b\n\n        ```python\n        x\n        ```\n",
        "!!! note\n\n    ```python\n    x\n    ```\n",
        "~~~~python\n~~~\nx\n~~~~\n",
        "> ```python\n> x\n> ```\n",
        '```python {title="a"}\nx\n```\n\ntext\n\n```text\ny\n```\n',
    ],
)
def test_the_scanner_sees_the_fences_that_the_site_draws(text):
    drawn = Markdown(extensions=["admonition", "pymdownx.superfences", "pymdownx.highlight"]).convert(text)
    assert drawn.count('class="highlight"') == len(scan(text))
