"""The verb drift, as a maintainer runs it, on a release that is made here."""

from __future__ import annotations

import json

import pytest
from inside_torch.cli import app
from inside_torch.digest import sealed
from inside_torch.errors import BookError
from inside_torch.pins.release import RELEASE
from inside_torch.releases import wheels
from typer.testing import CliRunner

from .conftest import NEXT

PAGE = "# A {#a}\n\nA [node](src:torch/autograd/graph.py::Node) and [none](src:torch/autograd/graph.py).\n"


@pytest.fixture
def book(tmp_path, monkeypatch, download):
    """A book of one page, and a release beside it that has nothing of what the page speaks of."""
    page = tmp_path / "docs" / "en" / "page.md"
    page.parent.mkdir(parents=True)
    page.write_text(PAGE)
    fetch = wheels.release
    monkeypatch.setattr(
        wheels, "release", lambda version, libraries: fetch(version, at=tmp_path / "cache", download=download)
    )
    assert run("lock", "--root", tmp_path)[0] == 0
    return tmp_path


def run(*arguments: object) -> tuple[int, str]:
    """Exit status and everything printed."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if isinstance(result.exception, BookError):
        return 1, result.output + str(result.exception)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.exit_code, result.output


def test_drift_names_the_pin_and_the_passage(book):
    status, said = run("drift", NEXT, "--root", book)
    assert status == 0
    assert "gone    src:torch/autograd/graph.py::Node" in said
    assert "line 3, #a: A node and none." in said
    assert f"{RELEASE} against 2.99.0: 2 gone" in said


def test_drift_writes_what_it_then_finds_again(book):
    assert "written: docs/drift/2.99.0.json" in run("drift", NEXT, "--write", "--root", book)[1]
    assert run("drift", NEXT, "--check", "--root", book)[0] == 0


def test_drift_goes_red_where_the_file_says_otherwise(book):
    run("drift", NEXT, "--write", "--root", book)
    file = book / "docs" / "drift" / "2.99.0.json"
    other = json.loads(file.read_text().replace('"gone"', '"same"', 1))
    del other["digest"]
    file.write_text(json.dumps(sealed(other)))
    status, said = run("drift", NEXT, "--check", "--root", book)
    assert status == 1 and "[drift-changed]" in said and "same at None-None in the file, gone" in said


def test_drift_drafts_words_and_holds_them_against_the_texts(book):
    run("drift", NEXT, "--write", "--root", book)
    said = run("drift", NEXT, "--words", "--root", book)[1]
    assert said.startswith("# 2.99.0: 2 pins without words") and "read again" not in said
    words = book / "docs" / "drift" / f"{NEXT}.words.yml"
    pins = "  pins: ['src:torch/autograd/graph.py::Node', 'src:torch/autograd/graph.py']\n"
    words.write_text("- what: No `Node` is left.\n" + pins)
    assert run("drift", NEXT, "--check", "--root", book)[0] == 0
    assert "1 description noted as read" in run("drift", NEXT, "--read", "all", "--root", book)[1]
    assert "  read: '" in words.read_text()
    status, said = run("drift", NEXT, "--read", "2", "--root", book)
    assert status == 1 and "[words-unread] --read 2" in said
    words.write_text("- what: No `Nod` is left.\n" + pins)
    for option in ("--check", "--write"):
        status, said = run("drift", NEXT, option, "--root", book)
        assert status == 1 and "[words-token] `Nod`" in said and "words.yml:1" in said


def test_drift_for_a_program(book):
    said = run("drift", NEXT, "--json", "--root", book)[1]
    assert {one["state"] for one in json.loads(said)} == {"gone"}


def test_the_books_own_release_is_no_other(book):
    assert "the book's own release" in run("drift", RELEASE, "--root", book)[1]
