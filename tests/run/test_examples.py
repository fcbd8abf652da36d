"""Examples of the glossary: executed, held against what is shown."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from inside_torch.errors import BookError
from inside_torch.run.examples import check, executed, run_all

GOOD = Path(__file__).parent.parent / "fixtures" / "book"


@pytest.fixture
def book(tmp_path):
    file = tmp_path / "docs" / "glossary.yml"
    file.parent.mkdir()
    shutil.copy(GOOD / "docs" / "glossary.yml", file)
    return tmp_path


def test_a_run_gives_the_good_example_as_it_is(book, fork_server):
    texts = run_all(book, fork_server.run)
    assert list(texts) == ["carry"]
    check(book, "carry", texts["carry"])


def test_another_output_is_an_error_with_its_line(book, fork_server):
    file = book / "docs" / "glossary.yml"
    file.write_text(file.read_text("utf-8").replace("#> (1, 2)", "#> (1, 3)"), "utf-8")
    with pytest.raises(BookError, match="term-example") as raised:
        check(book, "carry", run_all(book, fork_server.run)["carry"])
    assert "-#> (1, 3)" in str(raised.value) and "+#> (1, 2)" in str(raised.value)
    assert raised.value.line == 1


def test_what_is_raised_is_in_the_text_and_what_is_equal_by_value_stays():
    assert executed("1 / 0\n#> 1\n") == "1 / 0\n#> ZeroDivisionError: division by zero\n"
    assert executed("print(torch.ones(1) / 2)\n#> tensor([0.50000])\n") == (
        "print(torch.ones(1) / 2)\n#> tensor([0.50000])\n"
    )
