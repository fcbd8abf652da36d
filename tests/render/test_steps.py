"""The steps of compiled functions: their pseudo-code, and their places beside the lines of a source tree."""

from __future__ import annotations

import logging
from types import SimpleNamespace

import pytest
from inside_torch.pins.calls import CallsLock
from inside_torch.pins.facts import Facts
from inside_torch.pins.tree import Tree
from inside_torch.pins.wheel import SourceFile

from .small_book import QUEUE, fence
from .test_excerpts import lines_of

PSEUDO = (
    "pseudo:",
    "    if get_tls_state() allows one queue only:",
    "  1     assert there is that queue",
    "    else: take(another)    # indirect, by index",
    "  2     assert there is another",
)
STEPS = ("", "1. `cpu_ready_queue`: One queue.", "2. `0 <= device.index()`: Another.")


@pytest.fixture
def facts(book):
    """What the compiled code says of the small book's function."""
    file = book / "calls.lock"
    callees = {"get_tls_state": "call", "take": None}
    before = frozenset({("get_tls_state", "line 1556"), ("get_tls_state", "line 1559")})
    CallsLock(book, {QUEUE: Facts("Engine::ready_queue", callees, before, (1556, 1559))}).save()
    yield
    file.unlink()


@pytest.fixture
def tree(monkeypatch):
    """A source tree of one file, of our own text, with its assertions on the pinned lines."""
    lines = [""] * 1568
    lines[0] = "namespace torch::autograd {"
    lines[1548] = "auto Engine::ready_queue(std::shared_ptr<ReadyQueue> cpu_ready_queue, at::Device device) {"
    lines[1550] = "  if (AutogradState::get_tls_state().one_queue())"
    lines[1551] = "    // ours"
    lines[1555] = "    TORCH_INTERNAL_ASSERT(cpu_ready_queue);"
    lines[1558] = "    TORCH_INTERNAL_ASSERT(0 <= device.index());"
    lines[1560] = "    return the_other;"
    lines[1565] = lines[1566] = "}"
    source = SourceFile("torch/csrc/autograd/engine.cpp", lines, evidence="tree")
    fake = SimpleNamespace(read=lambda path: source if path == source.path else None)
    monkeypatch.setattr(Tree, "given", lambda folder, **_: fake)
    monkeypatch.setattr("inside_torch.render.pin_index._LOCKS", {})


def test_pseudo_code_has_its_shape_its_steps_and_its_proven_lines(draw, facts):
    drawn = draw(fence("excerpt", QUEUE, *PSEUDO, *STEPS))
    rows = drawn.select(".it-pseudo .it-line")
    shown = [row.find(class_="it-text").text for row in rows]
    assert shown == [
        "if get_tls_state() allows one queue only:",
        "    assert there is that queue",
        "else: take(another)  # indirect, by index",
        "    assert there is another",
    ]
    chips = [row.find(class_="it-chip", recursive=False) for row in rows]
    assert [chip.text if chip else "" for chip in chips] == ["", "1", "", "2"]
    numbers = [row.find(class_="it-no").text for row in rows]
    assert numbers == ["", "1556", "", "1559"]
    assert rows[1].find("a", class_="it-no")["href"].endswith("engine.cpp#L1556")
    assert [row.find(class_="it-note").p.text for row in (rows[1], rows[3])] == ["One queue.", "Another."]
    assert rows[3].find("code", class_="it-asserted").text.startswith("0 <= device.index()")
    assert "all steps is borne out" in drawn.find(class_="it-borne-out").text


def test_a_callee_says_how_it_is_proven(draw, facts):
    drawn = draw(fence("excerpt", QUEUE, *PSEUDO, *STEPS))
    titles = {each.text: each.get("title") for each in drawn.find_all(class_="nf")}
    assert titles == {
        "get_tls_state": "called, as the compiled code shows",
        "take": "called through a pointer: not proven",
    }


def test_steps_that_nothing_bears_out_are_ours(draw):
    drawn = draw(fence("excerpt", QUEUE, "", "1. One.", "2. Two."))
    assert drawn.find(class_="it-borne-out").text.startswith("The order of these steps is ours")
    some = draw(fence("excerpt", QUEUE, "", "1. One.", "2. `cpu_ready_queue`: Two."))
    assert some.find(class_="it-borne-out").text.startswith("The order of steps 2 is borne out")


def test_with_a_tree_the_code_is_shown_with_each_step_beside_its_line(draw, tree, facts):
    third = "3. at `return the_other`: What is left."
    drawn = draw(fence("excerpt", QUEUE, *PSEUDO, "  3 return it", *STEPS, third))
    assert drawn.figure["data-evidence"] == "tree" and drawn.find(class_="it-badge").text == "source tree"
    lines = dict(lines_of(drawn))
    assert min(lines) == 1549 and max(lines) == 1566 and "one_queue" in lines[1551]
    noted = {row.find(class_="it-no").text: row for row in drawn.select(".it-line--noted")}
    assert list(noted) == ["1556", "1559", "1561"]
    assert [row.find(class_="it-note").p.text for row in noted.values()] == [
        "One queue.",
        "Another.",
        "What is left.",
    ]
    assert not drawn.select(".it-pseudo")


def test_a_step_stands_where_its_callee_is_called_or_in_order(draw, tree, facts):
    pseudo = ("pseudo:", "  1 get_tls_state()", "  2 something of our own", "  3 assert there is another")
    steps = ("", "1. Asked.", "2. Ours.", "3. `0 <= device.index()`: Another.")
    drawn = draw(fence("excerpt", QUEUE, *pseudo, *steps))
    noted = {
        row.find(class_="it-no").text: [note.p.text for note in row.find_all(class_="it-note")]
        for row in drawn.select(".it-line--noted")
    }
    assert noted == {"1551": ["Asked.", "Ours."], "1559": ["Another."]}


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("2. at `no such text`: Two.", "is on 0 lines"),
        ("2. at `TORCH_INTERNAL_ASSERT`: Two.", "is on 2 lines"),
    ],
)
def test_a_text_that_does_not_match_is_told_and_the_step_stands_in_order(
    draw, tree, facts, caplog, step, said
):
    caplog.set_level(logging.WARNING)
    logging.getLogger("inside_torch.tree").propagate = True
    drawn = draw(
        fence("excerpt", QUEUE, "", "1. `cpu_ready_queue`: One.", step, "3. `0 <= device.index()`: Three.")
    )
    (record,) = caplog.records
    assert said in record.getMessage() and record.args[0].line == 5
    noted = {
        row.find(class_="it-no").text: len(row.find_all(class_="it-note"))
        for row in drawn.select(".it-line--noted")
    }
    assert noted == {"1556": 2, "1559": 1}


def test_a_tree_that_contradicts_the_lock_is_told_and_the_page_is_drawn(draw, monkeypatch, caplog):
    caplog.set_level(logging.WARNING)
    logging.getLogger("inside_torch.tree").propagate = True
    fake = SimpleNamespace(read=lambda path: SourceFile(path, ["int nothing;"], evidence="tree"))
    monkeypatch.setattr(Tree, "given", lambda folder, **_: fake)
    monkeypatch.setattr("inside_torch.render.pin_index._LOCKS", {})
    drawn = draw(fence("excerpt", QUEUE, "", "1. `cpu_ready_queue`: One."))
    assert drawn.figure["data-evidence"] == "witness"
    assert ["pin-symbol" in record.getMessage() for record in caplog.records] == [True]
