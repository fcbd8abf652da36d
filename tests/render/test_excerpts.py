"""Excerpts: the right lines, the notes beside them, and nothing that the browser would run."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from inside_torch.pins.wheel import Wheel
from inside_torch.pins.witness import Witness
from inside_torch.render.code import without_marks
from inside_torch.render.excerpts import _proven, tells
from inside_torch.render.labels import Labels
from material.plugins.search.plugin import Parser

from .small_book import EDGE, EXECUTE, GENERATED, GRAPH, QUEUE, UNPROVEN, fence


def lines_of(drawn):
    """Number and text of each line that is shown."""
    return [
        (int(line.find(class_="it-no").text), line.find(class_="it-text").text)
        for line in drawn(class_="it-line")
    ]


def test_the_text_stands_at_its_true_line_numbers(draw):
    drawn = draw(fence("excerpt", GRAPH, "id: entry"))
    shown = lines_of(drawn)
    real = Wheel.find().read("torch/autograd/graph.py").lines
    assert shown[0][1].startswith("def _engine_run_backward")
    for number, text in shown:
        assert text.rstrip() == real[number - 1].rstrip()
    assert drawn.figure["id"] == "entry"
    # The place and the name can be searched for, the code cannot.
    assert drawn.find(class_="it-code").has_attr("data-search-exclude")
    assert drawn.find(class_="it-name").find_parents(attrs={"data-search-exclude": True}) == []
    assert drawn.find("a", class_="it-no")["href"].endswith(f"graph.py#L{shown[0][0]}")


def test_search_reads_the_same_where_the_marks_of_colours_are_gone(converter, tmp_path):
    page = tmp_path / "page.md"
    parts = [
        "# Adds {#adds}",
        "Inline `a = 1`.",
        "```python\nif  a:\n    b('c')  # d\n\n```",
        "## Quoted {#quoted}",
    ]
    parts += [fence("excerpt", GRAPH), fence("excerpt", QUEUE), fence("program", "demo/add.py")]
    page.write_text("\n\n".join(parts))
    whole = converter(page).convert(page.read_text())
    light = without_marks(whole)
    assert whole.count('<span class="k">') > 5 and '<span class="k">' not in light
    assert 'class="it-no" data-search' in whole and 'class="it-no" data-search' not in light
    assert _sections(light) == _sections(whole) and len(_sections(light)) == 2


def _sections(page: str) -> list[tuple[str | None, str, str]]:
    parser = Parser()
    parser.feed(page)
    parser.close()
    return [(each.id, "".join(each.title), "".join(each.text)) for each in parser.data]


def test_a_header_is_at_its_line_in_the_repository(draw):
    assert lines_of(draw(fence("excerpt", EDGE)))[0] == (14, "struct Edge {")


def test_the_head_says_where_what_and_whose(draw):
    head = draw(fence("excerpt", GRAPH)).figcaption
    assert head.a["href"].endswith("#L966-L989") and head.a["rel"] == ["noopener"]
    assert "torch/autograd/graph.py" in head.text and "lines 966–989" in head.text
    assert head.find(class_="it-badge").text == "source text"
    assert head.find(class_="it-credit").text == "PyTorch, BSD-3"
    assert head.find(class_="it-name").text == "_engine_run_backward"


def test_the_credit_links_to_the_notice_where_there_is_one(converter, tmp_path):
    page = tmp_path / "demo" / "page.md"
    page.parent.mkdir()
    page.write_text(fence("excerpt", GRAPH))
    assert 'href="../notice.md"' not in converter(page).convert(page.read_text())
    (tmp_path / "notice.md").write_text("# Notice\n")
    assert 'href="../notice.md"' in converter(page).convert(page.read_text())


def test_a_note_stands_inside_the_line_it_speaks_of(draw):
    drawn = draw(
        fence("excerpt", GRAPH, "", f"`finally:`: **Always**, see [the engine]({EXECUTE}).", "  And `code`.")
    )
    (note,) = drawn(class_="it-note")
    line = note.find_parent(class_="it-line")
    assert line.find(class_="it-text").text.strip() == "finally:"
    assert note.strong.text == "Always" and note.a["class"] == ["pin"] and note.code.text == "code"
    assert note["role"] == "note" and note["aria-label"] == "Note on line 982"


def test_a_note_on_several_lines_marks_each(draw):
    drawn = draw(fence("excerpt", GRAPH, "", "`attach_logging_hooks` x3: Read three times."))
    marked = drawn(attrs={"class": "it-line--noted"})
    assert len(marked) == 3 and {line["data-notes"] for line in marked} == {"1"}
    assert len(drawn(class_="it-note")) == 1


def test_blanks_in_a_pattern_are_collapsed(draw):
    assert (
        len(draw(fence("excerpt", GRAPH, "", "`if   attach_logging_hooks:` x2: Twice."))(class_="it-note"))
        == 1
    )


def test_show_keeps_a_part_and_fold_hides_a_middle(draw):
    drawn = draw(
        fence(
            "excerpt",
            GRAPH,
            "show: `attach_logging_hooks =` .. `unregister_hooks()`",
            "fold: `try:` .. `finally:`",
        )
    )
    shown = [number for number, _ in lines_of(drawn)]
    assert shown == list(range(971, 985))
    assert "lines 971–984" in drawn.figcaption.text and drawn.figcaption.a["href"].endswith("#L971-L984")
    assert drawn.details.summary.text == "5 more lines, 978–982"
    assert [int(no.text) for no in drawn.details(class_="it-no")] == [978, 979, 980, 981, 982]


def test_a_file_without_text_is_told_in_steps(draw):
    drawn = draw(fence("excerpt", QUEUE, "", "1. First, `x`.", "2. `0 <= device.index()`: Then **this**."))
    assert drawn.figcaption.find(class_="it-badge").text == "2 witnesses"
    first, second = drawn.find("ol", class_="it-steps")("li")
    assert first.find(class_="it-witness") is None and first.code.text == "x"
    assert "0 <= device.index()" in second.find(class_="it-witness").code.text
    number = second.find(class_="it-no")
    assert number["href"].endswith(f"engine.cpp#L{number.text}") and second.strong.text == "this"
    assert len(drawn.find("ul", class_="it-proven")("li")) == 1
    assert drawn.find(class_="it-line") is None


def test_a_function_with_no_proven_line_is_told_in_pseudo_code(draw):
    pseudo = ("pseudo:", "  1 getRuntimeDispatchKeySet(key)", "  2 updateDispatchTableEntry_(key)", "")
    drawn = draw(fence("excerpt", UNPROVEN, *pseudo, "1. First.", "2. Last."))
    assert drawn.figcaption.find(class_="it-badge").text == "compiled code"
    assert "#L" not in drawn.figcaption.a["href"] and "whole file" in drawn.figcaption.text


def test_generated_text_is_shown_with_no_link(draw):
    drawn = draw(fence("excerpt", GENERATED))
    assert drawn.a is None and drawn.find(class_="it-badge").text == "generated"
    assert drawn.find("span", class_="it-no") is not None


def test_nothing_of_the_source_or_the_author_becomes_a_tag(draw):
    drawn = draw(
        fence(
            "excerpt",
            EDGE,
            "",
            "`c10::intrusive_ptr<Node> function;`: <script>alert(1)</script> <img src=x onerror=y> `<b>`",
        )
    )
    assert drawn.script is None and drawn.img is None and drawn.b is None
    assert "c10::intrusive_ptr<Node> function;" in drawn.find(class_="it-line--noted").text
    assert "<script>alert(1)</script>" in drawn.find(class_="it-note").text
    assert drawn.find(class_="it-note").code.text == "<b>"


def test_an_excerpt_stands_in_a_list_an_admonition_and_right_below_a_paragraph(draw):
    inside = fence("excerpt", EDGE, "id: {}").replace("\n", "\n    ")
    drawn = draw(
        "1.  Item\n\n    "
        + inside.format("in-list")
        + "\n\n!!! note\n    "
        + inside.format("in-note")
        + "\n\nText\n"
        + fence("excerpt", EDGE, "id: below")
    )
    assert {figure["id"] for figure in drawn("figure")} == {"in-list", "in-note", "below"}
    assert drawn.find(id="in-list").find_parent("li") and drawn.find(id="in-note").find_parent(
        class_="admonition"
    )
    assert drawn.find(id="below").find_parent("p") is None


def test_a_fence_in_code_is_shown_and_not_drawn(draw):
    inner = fence("excerpt", "src:no/such.py::f")
    drawn = draw("````markdown\n" + inner + "````\n\nText\n\n    " + inner.replace("\n", "\n    "))
    assert drawn.figure is None and drawn.html.count("no/such.py") == 2


@pytest.mark.parametrize(
    "text",
    [
        "0 <= device.index()",
        "i == output_nr",
        "cpu_ready_queue",
        "Index out of range",
        "' has changed the size",
    ],
)
def test_a_text_that_says_something_is_shown(text):
    assert tells(text)


@pytest.mark.parametrize("text", ["", "Function '", ", but got", "but got", "hooks", "for "])
def test_a_scrap_of_a_text_is_not_shown(text):
    assert not tells(text)


def test_the_line_of_a_scrap_is_listed_with_no_text():
    witness = Witness(7, "f", "Function '", "")
    source = SimpleNamespace(address=SimpleNamespace(path="torch/csrc/autograd/engine.cpp"))
    extension = SimpleNamespace(labels=Labels("en"))
    drawn = _proven(extension, source, [witness, replace(witness, line=9, text="i == output_nr")])
    assert [code.text for code in drawn.iter("code")] == ["i == output_nr"]
    assert [link.text for link in drawn.iter("a")] == ["9", "7"]
