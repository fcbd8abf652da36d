"""The one error of the book, and what is said of numbers of things."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError, counted, nearest


@pytest.mark.parametrize(
    ("number", "noun", "said"),
    [
        (0, "error", "0 errors"),
        (1, "error", "1 error"),
        (2, "error", "2 errors"),
        (
            1,
            "address that cannot be locked; x is as it was",
            "1 address that cannot be locked; x is as it was",
        ),
        (2, "address that cannot be locked", "2 addresses that cannot be locked"),
    ],
)
def test_counted(number, noun, said):
    assert counted(number, noun) == said


def test_nearest_takes_a_cutoff():
    assert nearest("bash", ["path"]) == "path"
    assert nearest("bash", ["path"], cutoff=0.75) == ""


def test_several_nearest_stand_on_lines_of_their_own():
    said = str(BookError("pin-ambiguous", "two", "one", "f(int)\nf(float)", "a.md", 3))
    assert said.split("\n")[-2:] == ["    nearest:  f(int)", "              f(float)"]
