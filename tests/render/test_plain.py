"""A page as plain Markdown: what the site draws stands in it as text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from inside_torch.book import glossary
from inside_torch.book.article_summary import article_summaries
from inside_torch.book.curriculum import load
from inside_torch.book.fence_kinds import KINDS
from inside_torch.book.fences import scan
from inside_torch.book.mentions import mentions
from inside_torch.book.whole_book import Book
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import COMMIT
from inside_torch.render.drawers import DRAWERS
from inside_torch.render.plain import plain
from inside_torch.render.plain_text import fenced

from .small_book import EDGE, FLAG, GENERATED, GRAPH, QUEUE, fence

ROOT = Path(__file__).parents[2]


@pytest.fixture
def told(book):
    """The plain text of some Markdown."""
    return lambda *parts: plain(book, "\n".join(parts))


def test_an_excerpt_holds_its_lines_and_its_remarks(book, told):
    text = told(fence("excerpt", GRAPH, "", f"`t_outputs,`: The `x`, see [an edge]({EDGE})."))
    lock = PinLock.load(book)
    pin = lock.pin(GRAPH)
    place = f"blob/{COMMIT}/torch/autograd/graph.py#L{pin.first}-L{pin.last}"
    assert f"[`torch/autograd/graph.py`, lines {pin.first}-{pin.last}](https://" in text and place in text
    [shown] = scan(text)
    assert shown.body.splitlines() == [line.rstrip() for line in lock.excerpt(GRAPH).lines]
    assert ": The `x`, see [an edge](https://github.com/" in text and "src:" not in text


def test_a_file_that_is_not_in_the_release_has_its_steps(told):
    text = told(fence("excerpt", QUEUE, "", "1. One.", "2. `0 <= device.index()`: Two."))
    assert "1. One.\n2. Two." in text


def test_prose_has_its_links_numbers_and_no_ids(told):
    text = told(
        "---",
        "question: How?",
        "---",
        "# A {#a}",
        "",
        f"A [`flag` of](<{FLAG}>), [one]({GENERATED}), {{{{ demo/add:ratio | .2f }}}},",
        "`[x](src:y) {{ z }}`,",
        "[page](../other/page.md#part).",
    )
    assert text.startswith("# A\n\n> How?\n\nA [`flag` of](https://github.com/")
    assert "#L38)" in text and ", generated), 0.35," in text
    assert "`[x](src:y) {{ z }}`" in text and "[page](../other/page.md#part)" in text


def test_programs_outputs_paths_numbers_exercises(told):
    text = told(
        fence("program", "demo/add.py", "section: build", "", "`loss =`: A sum."),
        fence("output", "demo/add"),
        fence("path", "demo/add"),
        fence("measurements", "demo/add", "rows:", "  count: how many"),
        fence("exercise", "demo/hole"),
    )
    assert "a = torch.ones(2, requires_grad=True)" in text and "region" not in text
    assert "- `loss =`: A sum." in text
    assert "tensor([2., 2.])" in text and "    torch::autograd::Engine::execute" in text
    assert "| how many | 12 |" in text and "raise NotImplementedError" in text


def test_a_diagram_keeps_its_source_without_its_links(told):
    text = told(
        fence(
            "mermaid", "flowchart TD", "  accTitle: A", "  A --> B", f'  click A href "{EDGE}"', "  B --> C"
        )
    )
    assert [shown.body for shown in scan(text)] == ["flowchart TD\n  accTitle: A\n  A --> B\n  B --> C\n"]


def test_a_fence_in_a_list_stays_in_it(told):
    text = told("- one", "", '    ```text {excuse="of a test"}', "    x", "    ```", "")
    assert "\n    ```text\n    x\n    ```" in text


def test_a_fence_that_shows_a_fence_is_longer():
    assert fenced("text", "```python\nx\n```") == "````text\n```python\nx\n```\n````"


def test_every_fence_of_the_book_is_drawn():
    assert set(DRAWERS) == {*KINDS, "mermaid"}


PAGES = sorted(ROOT.glob("docs/??/**/*.md"))


def test_no_plain_copy_of_the_book_holds_a_fence_that_only_the_site_can_draw():
    seen = set()
    for page in PAGES:
        docs = page.parents[len(page.relative_to(ROOT / "docs").parts) - 2]
        seen |= {fence.language for fence in scan(page.read_text("utf-8"))}
        slug = page.relative_to(docs).with_suffix("").as_posix()
        text = plain(ROOT, page.read_text("utf-8"), slug, docs.name)
        left = {fence.language for fence in scan(text)} & set(KINDS)
        assert not left, page
    assert set(KINDS) <= seen


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_lists_of_the_book_are_written_whole(language):
    def copy(page: str) -> str:
        text = (ROOT / "docs" / language / page).read_text("utf-8")
        return plain(ROOT, text, page.removesuffix(".md"), language)

    terms = glossary.load(ROOT)
    told = copy("glossary.md")
    for key, term in terms.terms.items():
        assert f"## {terms.heading(key, language)}\n\n{term.meaning(language)}" in told, key
        assert f"```python\n{term.example.rstrip()}\n```" in told or not term.example, key
        assert f"]({term.see.replace('#', '.md#')})" in told
    written = article_summaries(Book.load(ROOT), language)
    proof, routes = copy("proof.md"), "".join(copy(f"routes/{name}.md") for name in load(ROOT).routes)
    for slug, summary in written.items():
        assert f"[{summary.title}]({slug}.md)" in proof and f"[{summary.title}](../{slug}.md)" in routes
        assert summary.question in routes
    sources = copy("source-index.md")
    for pin in {mention.pin.address.path for mention in mentions(Book.load(ROOT), PinLock.load(ROOT))}:
        assert f"**{pin} " in sources
    assert not re.search(r"</?(?:dl|li|span|details)\b", told + proof + routes + sources)
