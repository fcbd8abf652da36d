"""A small book moved to a release that is made here: what is written, and when nothing is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from inside_torch.errors import BookError
from inside_torch.pins.line_table import TABLE, Row
from inside_torch.pins.lock import FILE
from inside_torch.pins.release import COMMIT, RELEASE
from inside_torch.releases import read_again, repin
from inside_torch.releases.drift import Drift
from inside_torch.releases.line_table_move import UnmovedRow
from inside_torch.releases.repin import Move, files
from inside_torch.releases.wheels import release

from .conftest import NEXT, NEXT_COMMIT

PAGE = "docs/en/module-01-small/things.md"
ADDRESS = "src:torch/small.py::changed"
BOOK = {
    ".gitignore": "/.venv*/\n__pycache__/\n",
    "scripts/dev.py": f'RELEASE = "{RELEASE}"\n',
    "scripts/inside_torch/pins/release.py": f'RELEASE = "{RELEASE}"\nCOMMIT = "{COMMIT}"\n',
    f"scripts/inside_torch/pins/{TABLE.name}": "as it is\n",
    "pyproject.toml": f'dependencies = [\n    "torch=={RELEASE}",\n]\n',
    "docs/theme/main.html": f"      <li>PyTorch {RELEASE}</li>\n",
    "mkdocs.yml": "nav:\n  - releases/2.98.0.md\n  - releases/3.1.0.md\n",
    "docs/en/releases/index.md": "- [2.98.0](2.98.0.md)\n",
    "docs/en/releases/2.98.0.md": "# 2.98.0\n",
    "docs/drift/2.98.0.json": "{}",
    "docs/drift/2.98.0.words.yml": "[]",
    "docs/drift/3.1.0.json": "{}",
    "docs/proof/cpu-on-cpu.json": "{}",
    PAGE: "---\ntitle: T\n---\n\n# T {#t}\n\n## A thing {#thing}\n\n"
    f"What [it]({ADDRESS}) does in {RELEASE}.\n\nAnd [that](src:a.cpp::Box::put).\n\n"
    "```python\nprint(f())\n#> 1\n```\n",
    "snippets/module-01-small/things/speed.results.json": json.dumps({"build": f"{RELEASE}+cpu"}),
    "snippets/module-01-small/things/speed.out": "1\n",
    FILE: "{}",
}


@pytest.fixture
def book(tmp_path) -> Path:
    """A repository of the files above."""
    root = tmp_path / "book"
    for name, text in BOOK.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / ".venv").mkdir()
    (root / ".venv" / "large").write_text("an environment")
    return root


@pytest.fixture
def moving(book, tmp_path, download, monkeypatch):
    """Makes a move of the book whose commands are ``verbs``: name to what it does with the copy, and returns
    it staged.
    """
    left = [
        UnmovedRow(Row("a.cpp", "Box::put", 2, 3, "exact", "seen"), "its assertions moved apart"),
        UnmovedRow(Row("a.cpp", "Box::get", 5, 6, "exact", "seen"), "no page speaks of it"),
    ]
    monkeypatch.setattr(repin.line_table_move, "moved", lambda ours, theirs, version: ([], left))

    def make(**verbs) -> Move:
        def execute(command: list[str], folder: Path) -> int:
            assert command[1] == "scripts/dev.py"
            verb = command[2] if command[2] == "setup" else command[5]
            make.ran.append(command[command.index(verb) :])
            return verbs.get(verb, lambda folder: 0)(folder)

        make.ran = []
        theirs = release(NEXT, libraries=True, at=tmp_path / "cache", download=download)
        move = Move(book, theirs, tmp_path / "cache" / "moved", execute=execute)
        move.stage(ours=None)
        return move

    return make


def record(folder: Path) -> int:
    page = folder / PAGE
    page.write_text(page.read_text().replace("#> 1", "#> 2"))
    (folder / "snippets/module-01-small/things/speed.out").write_text("2\n")
    return 0


def lock(folder: Path) -> int:
    (folder / FILE).write_text("a new lock")
    return 0


def state(root: Path) -> dict[str, str]:
    return {str(place): (root / place).read_text() for place in files(root)}


def test_a_book_is_moved_whole(book, moving):
    move = moving(record=record, lock=lock)
    move.run()
    assert [command[0] for command in moving.ran] == [
        "setup", "lock", "record", "trace", "count", "translated", "drift", "check"
    ]  # fmt: skip
    assert ["drift", "3.1.0", "--libraries", "--write"] in moving.ran, "a release that is still ahead"
    assert state(book) == BOOK, "nothing is written before it is brought back"
    written = move.bring_back()
    now = state(book)
    assert now["scripts/dev.py"] == f'RELEASE = "{NEXT}"\n'
    assert now["scripts/inside_torch/pins/release.py"] == f'RELEASE = "{NEXT}"\nCOMMIT = "{NEXT_COMMIT}"\n'
    assert f'"torch=={NEXT}",' in now["pyproject.toml"] and f">PyTorch {NEXT}<" in now["docs/theme/main.html"]
    assert now[FILE] == "a new lock" and "#> 2" in now[PAGE]
    assert now["mkdocs.yml"] == "nav:\n  - releases/3.1.0.md\n" and now["docs/en/releases/index.md"] == ""
    assert {str(place) for place in written} == {
        name for name in {*BOOK, *now} if BOOK.get(name) != now.get(name)
    }
    gone = {"docs/en/releases/2.98.0.md", "docs/drift/2.98.0.json", "docs/drift/2.98.0.words.yml"}
    assert set(BOOK) - set(now) == gone | {"docs/proof/cpu-on-cpu.json"}
    assert (book / ".venv" / "large").read_text() == "an environment"
    assert not list(book.rglob(".*.??????*")), "no part of a file is left"


def test_nothing_is_written_where_one_command_failed(book, moving):
    move = moving(record=record, trace=lambda folder: 1)
    move.run()
    assert move.failed == ["inside-torch trace --all -q"] and moving.ran[-1] == [
        "check",
        "--without",
        "statement-unread",
    ], "all is tried"
    with pytest.raises(BookError, match="inside-torch trace"):
        move.bring_back()
    assert state(book) == BOOK


def test_where_pins_cannot_be_locked_the_pages_are_not_checked_for_them(moving):
    move = moving(lock=lambda folder: 1)
    move.run()
    assert [command[0] for command in moving.ran] == [
        "setup",
        "lock",
        "record",
        "trace",
        "count",
        "translated",
    ]
    assert move.failed == ["inside-torch lock -q"]


def test_nothing_is_tried_where_the_release_cannot_be_installed(book, moving):
    move = moving(setup=lambda folder: 3)
    with pytest.raises(BookError, match=r"repin-setup.*status 3"):
        move.run()
    assert len(moving.ran) == 1


def test_nothing_is_written_over_what_was_edited_meanwhile(book, moving):
    move = moving(record=record)
    move.run()
    (book / PAGE).write_text("edited")
    with pytest.raises(BookError, match="repin-edited"):
        move.bring_back()
    assert state(book) == BOOK | {PAGE: "edited"}


def test_nothing_is_written_where_one_file_cannot_be(book, moving, monkeypatch):
    move = moving(record=record, lock=lock)
    move.run()
    beside = repin._beside

    def full(source: Path, target: Path) -> Path:
        if target.name == FILE:
            raise OSError("no room")
        return beside(source, target)

    monkeypatch.setattr(repin, "_beside", full)
    with pytest.raises(BookError, match="no room"):
        move.bring_back()
    monkeypatch.undo()
    assert state(book) == BOOK


def test_a_second_try_keeps_the_copys_environment_and_nothing_else(moving):
    move = moving()
    (move.folder / ".venv").mkdir()
    (move.folder / "left").write_text("of the first try")
    move.stage(ours=None)
    assert (move.folder / ".venv").is_dir() and not (move.folder / "left").exists()


def test_a_file_that_does_not_name_the_release_is_told(book, moving):
    (book / "pyproject.toml").write_text("dependencies = []\n")
    with pytest.raises(BookError, match="0 lines like") as caught:
        moving()
    assert caught.value.file == book / "pyproject.toml"


def test_a_folder_that_is_no_repository_is_told(tmp_path):
    with pytest.raises(BookError, match=r"repin-git.*not a git repository"):
        files(tmp_path)


def test_the_list_names_all_that_a_person_reads_again(moving):
    move = moving(record=record, lock=lock)
    move.run()
    todo = read_again.checklist(move, [Drift(ADDRESS, "changed", "")])
    assert f"{PAGE}:9 #thing `{ADDRESS}` changed: What it does in {RELEASE}." in todo
    assert f"- [ ] {PAGE}:15 #thing\n" in todo and "speed.out" in todo
    assert f"speed.results.json: torch {RELEASE}+cpu" in todo
    assert "a.cpp `Box::put`: its assertions moved apart" in todo and "Box::get" not in todo
    assert f"- [ ] {PAGE}:9 What [it]" in todo, "prose that names the release"


def test_check_is_red_until_the_last_box_is_ticked(tmp_path):
    assert list(read_again.unread(tmp_path)) == []
    file = tmp_path / read_again.LIST
    file.parent.mkdir()
    file.write_text("# To read again\n\n- [x] one\n- [ ] docs/en/a.md:3 #b\n")
    (error,) = read_again.unread(tmp_path)
    assert (error.rule, error.line) == ("read-again", 4) and "docs/en/a.md:3 #b" in error.found
    file.write_text(file.read_text().replace("[ ]", "[x]"))
    assert list(read_again.unread(tmp_path)) == []
