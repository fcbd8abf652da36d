"""Programs, output, exercises, probes and excused fences."""

from __future__ import annotations

import pytest

from .small_book import fence


def numbers(drawn):
    return [int(number.text) for number in drawn(class_="it-no")]


def test_a_section_is_shown_at_its_lines_without_its_markers(draw):
    drawn = draw(fence("program", "demo/add.py", "section: build", "", "`loss =`: The loss."))
    assert numbers(drawn) == [6, 7, 8]
    assert drawn.find(class_="it-note").find_parent(class_="it-line").find(class_="it-no").text == "8"
    assert "python snippets/demo/add.py" in drawn.figcaption.text and "lines 6–8" in drawn.figcaption.text


def test_a_whole_file_is_shown_without_markers(draw):
    drawn = draw(fence("program", "demo/add.py", "id: whole"))
    text = "\n".join(line.text for line in drawn(class_="it-text"))
    assert "region" not in text and "def path()" in text and numbers(drawn)[-1] == 19
    assert drawn.figure["id"] == "whole" and not drawn.figure.has_attr("data-search-exclude")


def test_other_languages_are_coloured_and_named(draw):
    drawn = draw(fence("program", "demo/kernel.cpp", "section: sum"))
    assert drawn.find("span", class_="kt").text == "int"
    assert drawn.figcaption.text.startswith("snippets/demo/kernel.cpp")


def test_output_is_what_was_recorded_and_cannot_be_markup(draw):
    drawn = draw(fence("output", "demo/add.py", "id: printed", "normalise: addresses"))
    assert drawn.find("pre").text == "tensor([2., 2.]) <script>alert(1)</script>\n"
    assert drawn.script is None and drawn.figure["id"] == "printed"
    assert "addresses" not in drawn.text


DRY = "Recorded on a GPU that computes nothing: host side real, values not computed."


@pytest.mark.parametrize("devices", ["dry", "dry-only"])
def test_what_ran_on_the_dry_gpu_says_so(draw, devices):
    drawn = draw(fence("output", "demo/add.py", f"devices: {devices}", "why: it is the host"))
    assert drawn.figure.find("p", class_="it-caption").text == DRY
    drawn = draw(
        f'```python {{id="x" devices="{devices}" why="it is the host"}}\nprint(1)\n#> 1\n```\n\nText.\n'
    )
    assert drawn.find("div", id="x").find_next_sibling("p").text == DRY
    plain = draw(fence("output", "demo/add.py")).html + draw("```python\nprint(1)\n```\n").html
    assert DRY not in plain


def test_an_exercise_hides_its_solution(draw):
    drawn = draw(fence("exercise", "demo/hole", "id: exercise"))
    assert "raise NotImplementedError" in drawn.find("pre").text
    assert not drawn.details.has_attr("open") and 'return "<b>"' in drawn.details.find("pre").text
    assert drawn.details.summary.text == "Show the solution"
    assert "python -m pytest snippets/demo/hole" in drawn.text


def test_a_probe_is_a_code_block_whose_options_stay_out_of_the_page(draw):
    drawn = draw(
        '```python {id="leaf" group="graph" normalise="addresses"}\nprint(1)\n#> 1\n# no output\n```\n'
    )
    block = drawn.find("div", class_="highlight")
    assert block["id"] == "leaf" and block.pre.code is not None
    assert "graph" not in drawn.html and "normalise" not in drawn.html
    assert [span.text for span in drawn(class_="it-printed")] == ["#> 1"]


def test_an_excuse_stays_out_of_the_page(draw):
    drawn = draw('```console {excuse="for the reader"}\n$ ls\n```\n')
    assert "excuse" not in drawn.html and "for the reader" not in drawn.html and drawn.pre is not None
