"""The line table in another release: what moves a row, what loosens it, what leaves it behind."""

from __future__ import annotations

import pytest
from inside_torch.pins.line_table import Row
from inside_torch.pins.witness import Witness
from inside_torch.releases import line_table_move

PATH = "a.cpp"
ROW = Row(PATH, "Box::put", 20, 30, "exact", "seen")


class Known:
    """Libraries that know these witnesses of the one file."""

    def __init__(self, *witnesses: Witness) -> None:
        self.known = witnesses

    def search(self, paths) -> None:
        assert list(paths) == [PATH]

    def witnesses(self, path: str) -> tuple[Witness, ...]:
        return self.known


def at(line: int, function: str = "put", text: str = "") -> Witness:
    return Witness(line, function, text, f"Box::{function}")


ABOVE, FIRST, SECOND, BELOW = at(10, "get", "g"), at(22, text="a"), at(28, text="b"), at(40, "end", "e")
OURS = (ABOVE, FIRST, SECOND, BELOW)


@pytest.fixture
def move(monkeypatch):
    """Moves :data:`ROW`, or another, from our witnesses to these."""

    def run(*after: Witness, row: Row = ROW, before: tuple[Witness, ...] = OURS):
        monkeypatch.setattr(line_table_move, "rows", lambda: {PATH: (row,)})
        (found,), left = line_table_move.moved(Known(*before), Known(*after), "2.99.0")
        return found, [one.why for one in left]

    return run


def shifted(by: int, *witnesses: Witness) -> list[Witness]:
    return [Witness(one.line + by, one.function, one.text, one.within) for one in witnesses]


def test_a_row_moves_with_its_assertions_and_their_neighbours(move):
    row, left = move(*shifted(5, *OURS))
    assert (row.first, row.last, row.confidence, left) == (25, 35, "exact", [])
    assert row.how == "seen; +5 in 2.99.0, as 4 assertions tell"


def test_its_ends_are_no_longer_known_where_a_neighbour_moved_otherwise(move):
    row, left = move(*shifted(5, ABOVE, FIRST, SECOND), *shifted(6, BELOW))
    assert (row.first, row.last, row.confidence, left) == (25, None, "bounded", [])


def test_a_row_with_no_assertion_in_it_needs_both_neighbours(move):
    before = (ABOVE, BELOW)
    assert move(*shifted(5, *before), before=before)[0].first == 25
    row, (why,) = move(*shifted(5, ABOVE), *shifted(6, BELOW), before=before)
    assert (row.first, row.last, row.confidence) == (25, None, "bounded")
    assert why.startswith("no assertion in it")


@pytest.mark.parametrize(
    "after",
    [[*shifted(5, ABOVE, FIRST), *shifted(7, SECOND)], shifted(5, ABOVE, FIRST, BELOW), []],
    ids=["moved apart", "one is gone", "the file is gone"],
)
def test_a_row_that_is_left_says_so_and_proves_nothing(move, after):
    row, (why,) = move(*after)
    assert (row.last, row.confidence) == (None, "bounded") and row.how == f"lines not known in 2.99.0: {why}"
    assert why == "its assertions moved apart or are gone"


def test_of_several_places_with_one_text_that_counts_which_all_agree_on(move):
    twins = (at(22, text="same"), at(28, text="same"))
    row, left = move(*shifted(6, ABOVE, *twins, BELOW), before=(ABOVE, *twins, BELOW))
    assert (row.first, left) == (26, [])


def test_a_row_with_no_last_line_is_held_by_the_assertions_of_its_function(move):
    row, left = move(*shifted(5, *OURS), row=Row(PATH, "Box::put", 20, None, "exact", "seen"))
    assert (row.first, row.last, left) == (25, None, [])
    assert "4 assertions" in row.how
