"""The tables that are drawn: of what a program printed, and of what was measured."""

from __future__ import annotations

import pytest
from inside_torch.book.fence_kinds import read
from inside_torch.book.fences import scan
from inside_torch.book.recording import Results
from inside_torch.book.tables import measured, tables
from inside_torch.errors import BookError


def results(**values: float) -> Results:
    named = {name.replace("__", "/"): value for name, value in values.items()}
    return Results(program="a", program_digest="", date="2026-01-01", build="", machine="", values=named)


def test_a_title_ends_with_a_colon_and_a_blank_line_ends_a_table():
    first, second = tables("one table:\nstep  of two words  y\n0  1  2\n\n\nx\ty\n3\t-\n")
    assert (first.title, first.columns) == ("one table", ("step", "of two words", "y"))
    assert (second.title, second.rows, second.number(0, 1)) == ("", (("3", "-"),), None)


def test_measured_numbers_are_a_table_by_the_slash_in_their_names():
    table = measured(results(linear__x=1.5, linear__y=20, norm__y=3, ratio=4))
    assert table.columns == ("", "x", "y")
    assert table.rows == (("linear", "1.5", "20"), ("norm", "-", "3"))


def test_rows_of_one_name_have_a_number_behind_it():
    table = measured(results(roof__1__x=0, roof__2__x=5, norm__x=1))
    assert table.rows == (("roof", "0"), ("roof", "5"), ("norm", "1"))


def test_measured_numbers_with_no_slash_are_refused():
    with pytest.raises(BookError, match=r"measured `ratio`.*\n.*names with a slash"):
        measured(results(ratio=1))


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ("draw: curve", "`curve` in `draw`.*\n.*\n.*curves"),
        ("log: x", "`log` with no `draw`"),
        ("draw: curves\nlog: x, z", "`z` in `log`"),
    ],
)
def test_what_a_drawing_cannot_be_is_told(lines, says):
    with pytest.raises(BookError, match=says):
        read(scan(f"```output\na/b\n{lines}\n```\n")[0])


def test_rows_and_a_drawing_are_refused_together():
    with pytest.raises(BookError, match="`rows` beside `draw`"):
        read(scan("```measurements\na/b\ndraw: points\nrows:\n  a: b\n```\n")[0])
