"""The test of every exercise fails on its hole and passes on its solution."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.run.exercises import exercises, judge

from .the_book import ROOT, book

CASES = [
    pytest.param((folder, *place), id=folder.relative_to(ROOT / "snippets").as_posix())
    for folder, place in exercises(book()).items()
]


@pytest.mark.timeout(0)  # the first of an article waits for all; each has a limit of its own
@pytest.mark.parametrize("exercise", CASES)
def test_exercise(exercise, tried):
    folder, page, line = exercise
    failure = ""
    try:
        judge(folder, tried(folder))
    except BookError as error:
        failure = f"{page}:{line}: {error}"
    if failure:
        pytest.fail(failure, pytrace=False)
