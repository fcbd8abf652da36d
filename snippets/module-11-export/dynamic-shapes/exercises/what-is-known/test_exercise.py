"""Answers both ways, questions that change nothing, an equality, and a size that is left out."""

import math

import pytest
from exercise import known


@pytest.mark.parametrize("sample", [2, 6])
def test_nothing_asked(sample):
    assert known(sample, []) == (2, math.inf)


@pytest.mark.parametrize(
    ("sign", "below", "at", "above"),
    [
        ("<", (2, 3), (4, math.inf), (4, math.inf)),
        ("<=", (2, 4), (2, 4), (5, math.inf)),
        (">", (2, 4), (2, 4), (5, math.inf)),
        (">=", (2, 3), (4, math.inf), (4, math.inf)),
    ],
)
def test_one_question(sign, below, at, above):
    assert [known(sample, [(sign, 4)]) for sample in (3, 4, 9)] == [below, at, above]


def test_one_question_from_below_and_one_from_above():
    assert known(6, [(">", 4), ("<", 10)]) == (5, 9)
    assert known(6, [(">", 4), ("<", 10), (">", 5)]) == (6, 9)


@pytest.mark.parametrize(
    ("questions", "interval"),
    [
        ([("<", 20), ("<", 30)], (2, 19)),
        ([(">=", 5), (">", 3)], (5, math.inf)),
        ([(">", -3)], (2, math.inf)),
        ([("<", 10), ("!=", 9)], (2, 9)),
    ],
)
def test_a_question_that_adds_nothing(questions, interval):
    assert known(6, questions) == interval


@pytest.mark.parametrize("question", [("!=", 9), ("==", 9), ("==", 2)])
def test_not_equal_leaves_a_hole_that_no_interval_has(question):
    assert known(6, [question]) == (2, math.inf)


@pytest.mark.parametrize("questions", [[("==", 6)], [("!=", 6)], [(">", 4), ("==", 6)]])
def test_equal_leaves_one_size(questions):
    assert known(6, questions) == (6, 6)
