"""The verb explain, as it is typed."""

from __future__ import annotations

import sys

import pytest
from inside_torch.cli import app
from inside_torch.errors import BookError
from typer.testing import CliRunner

MESSAGE = "RuntimeError: mat1 and mat2 shapes cannot be multiplied (28x10 and 5x2)"


def explain(*words: str, text: str = "") -> tuple[int, str]:
    result = CliRunner().invoke(app, ["explain", *words], input=text, catch_exceptions=False)
    return result.exit_code, result.output


def test_a_text_is_explained_with_the_place_of_its_entry():
    status, said = explain(text=f"some log\n{MESSAGE}\n")
    assert status == 1
    assert "mat1 and mat2 shapes cannot be multiplied\n    The input is shown flattened" in said
    assert "errors/#mat1-mat2 on the site" in said


def test_what_fits_nothing_is_said_so():
    status, said = explain(text="IndexError: list index out of range\n")
    assert status == 1 and said.startswith("no entry of docs/en/errors.md fits")


def test_a_command_runs_its_errors_are_passed_on_and_explained(capfd):
    program = f"import sys; print('out'); print({MESSAGE!r}, file=sys.stderr); sys.exit(3)"
    status, said = explain(sys.executable, "-c", program)
    assert status == 3 and "in_features" in said
    assert capfd.readouterr().out == "out\n"


def test_a_command_that_ends_well_is_not_explained():
    assert explain(sys.executable, "-c", f"import sys; print({MESSAGE!r}, file=sys.stderr)")[0] == 0
    assert "in_features" not in explain(sys.executable, "-c", f"print({MESSAGE!r})")[1]


def test_a_command_that_is_none_is_told():
    with pytest.raises(BookError, match="no-such-program: No such file"):
        explain("no-such-program")
