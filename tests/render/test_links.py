"""Links to addresses: where they lead, what they say, what they refuse."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.pins.release import COMMIT, RELEASE

from .small_book import BRACKETED, EXECUTE, FILE, FLAG, GENERATED, GRAPH, fence


def test_a_link_leads_to_the_lines_and_says_what_proves_them(draw):
    anchor = draw(f"See [`_engine_run_backward`]({GRAPH}).").a
    assert anchor["href"].startswith(
        f"https://github.com/pytorch/pytorch/blob/{COMMIT}/torch/autograd/graph.py#L966-L"
    )
    assert anchor["class"] == ["pin"] and anchor["data-evidence"] == "text"
    assert anchor["target"] == "_blank" and anchor["rel"] == ["noopener"]
    assert "torch/autograd/graph.py, lines 966–" in anchor["title"] and f"at {RELEASE}" in anchor["title"]
    assert anchor.code.text == "_engine_run_backward"


def test_an_address_with_blanks_and_brackets_is_one_link(draw):
    drawn = draw(f"[the number](<{FLAG}>) and [`x`](<{FLAG}>).")
    assert [anchor["href"].rpartition("#")[2] for anchor in drawn("a")] == ["L38", "L38"]
    assert drawn.p.text == "the number and x."


def test_an_address_ends_where_its_own_brackets_are_closed(converter):
    address = "src:torch/x.h::f(std::vector<c10::Warning>)"
    for text in (f"[x](<{address}>) y", fence("excerpt", GRAPH, "", f"`t_outputs,`: [x](<{address}>) y")):
        with pytest.raises(BookError, match="pin-not-locked") as raised:
            converter().convert(text)
        assert f"{address} is not in pins.lock" in str(raised.value)


def test_witnesses_are_counted_and_a_whole_file_has_no_line(draw):
    drawn = draw(f"[a]({EXECUTE}) [b]({FILE}) [c]({BRACKETED})")
    execute, file, bracketed = drawn("a")
    assert execute["data-evidence"] == "witness" and "proven by 2 witnesses" in execute["title"]
    assert "#" not in file["href"] and "whole file" in file["title"]
    assert bracketed["data-evidence"] == "bracketed" and "on both sides" in bracketed["title"]


def test_a_generated_file_is_named_but_not_linked(draw):
    drawn = draw(f"[MulBackward0]({GENERATED})")
    assert drawn.a is None
    assert (
        drawn.span["class"] == ["pin", "generated"]
        and "generated when PyTorch is built" in drawn.span["title"]
    )


def test_other_links_stay_as_they_are(draw):
    drawn = draw('[a](https://pytorch.org "t") [b](#x) [c](../d.md#e) ![i](i.png) [r][r]\n\n[r]: f.md')
    assert [a["href"] for a in drawn("a")] == ["https://pytorch.org", "#x", "../d.md#e", "f.md"]
    assert drawn.a["title"] == "t" and drawn.img["src"] == "i.png"


def test_code_that_shows_a_link_is_no_link(draw):
    drawn = draw(f"`[x]({GRAPH})`\n\n    [x]({GRAPH})\n")
    assert drawn.a is None and drawn.pre is not None


def test_the_labels_follow_the_language(draw):
    assert "第 966–" in draw(f"[a]({GRAPH})", language="zh").a["title"]


def test_an_unknown_language_is_told(draw):
    with pytest.raises(BookError, match="render-language"):
        draw("x", language="xx")


def test_a_lock_that_changes_is_read_again(draw, book):
    lock = book / "pins.lock"
    before = lock.read_text()
    assert draw(f"[a]({GRAPH})").a is not None
    try:
        lock.write_text(
            "".join(line for line in before.splitlines(True) if "_engine_run_backward" not in line)
        )
        with pytest.raises(BookError, match="pin-not-locked"):
            draw(f"[a]({GRAPH})")
    finally:
        lock.write_text(before)
