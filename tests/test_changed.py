"""``--changed``: what an edit selects, and that what failed or was not run is run again."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from .reads import DATA, Tree
from .tools import PLUGINS
from .workers import OF_AN_ARTICLE_FILES, group

ROOT = Path(__file__).parent.parent
HERE = Tree.of(ROOT)
ARTICLE, OTHER = "module-02-autograd/running-backward", "module-05-dispatch/add-an-operator"
GROUPS = {
    ARTICLE,
    OTHER,
    *(name for name in HERE.digests if re.fullmatch(r"tests/(?!fixtures/).*\btest_\w+\.py", name)),
}


def touched(*names: str) -> set[str]:
    """The groups that an edit of these files selects."""
    for name in names:
        assert name in HERE.digests, name
    edited = HERE.edited(*names)
    return {name for name in GROUPS if edited.digest(name) != digests()[name]}


@cache
def digests() -> dict[str, str]:
    """Of every group, as it is."""
    return {name: HERE.digest(name) for name in GROUPS}


def test_an_article_is_itself_and_what_reads_the_whole_book():
    found = touched(f"docs/en/{ARTICLE}.md")
    assert {ARTICLE, "tests/articles/test_every_rule.py", "tests/articles/test_every_pin.py"} <= found
    assert OTHER not in found
    assert not {name for name in found if name.startswith(("tests/pins/test_cpp", "tests/run/"))}
    assert ARTICLE in touched(f"docs/zh/{ARTICLE}.md")


def test_a_snippet_is_its_article():
    found = touched(f"snippets/{ARTICLE}/order_of_nodes.py")
    assert ARTICLE in found and OTHER not in found
    assert not {name for name in found if name.startswith(("tests/pins/test_cpp", "tests/run/"))}


def test_a_snippet_is_also_an_article_that_names_it():
    (beside,) = (
        name for name in HERE.digests if name.startswith("snippets/") and name.endswith("record_one_mul.py")
    )
    assert beside.split("/")[2] == "recording-the-graph"
    assert ARTICLE in touched(beside), "running-backward names that folder"


def test_a_module_is_what_imports_it_however_far():
    found = touched("scripts/inside_torch/run/gdb_record.py")
    assert {ARTICLE, OTHER, "tests/run/test_trace.py", "tests/run/test_faults.py"} <= found
    assert "tests/pins/test_wheel.py" in found, "every test has conftest.py, and that the debugger"
    found = touched("scripts/inside_torch/releases/wheels.py")
    assert "tests/releases/test_wheels.py" in found and "tests/run/test_state.py" not in found


def test_the_lock_of_the_packages_is_everything():
    assert touched("requirements.lock") == GROUPS


def test_the_lock_of_the_pins_is_what_reads_it_whole():
    found = touched("pins.lock")
    assert {"tests/pins/test_lock.py", "tests/articles/test_every_pin.py"} <= found
    assert ARTICLE not in found, "of which only its own pins count"


def test_a_pin_is_the_articles_that_use_it(tmp_path):
    lock = json.loads(HERE.text("pins.lock"))
    page = HERE.text(f"docs/en/{ARTICLE}.md")
    address = next(address for address in lock["pins"] if f"({address})" in page)
    lock["pins"][address] |= {"digest": "0" * 16}
    edited = replace(HERE, root=tmp_path)
    for name in HERE.matching(["docs/*.md", "scripts/*.py", "tests/*.py"]):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "pins.lock").write_text(json.dumps(lock))
    assert edited.digest(ARTICLE) != HERE.digest(ARTICLE)
    assert address not in HERE.text(f"docs/en/{OTHER}.md")
    assert edited.digest(OTHER) == HERE.digest(OTHER)


def test_the_theme_is_what_is_seen_in_the_browser():
    found = touched("docs/theme/assets/inside-torch.css")
    assert {ARTICLE, OTHER, "tests/site/test_pages.py", "tests/site/test_serve.py"} <= found
    assert not {name for name in found if name.startswith(("tests/pins/", "tests/run/"))}


def test_another_machine_is_another_run():
    assert HERE.digest(ARTICLE, "with gdb") != HERE.digest(ARTICLE, "without")


def test_an_import_for_the_type_checker_and_a_docstring_are_none(tmp_path):
    folder = tmp_path / "scripts" / "inside_torch" / "run"
    folder.mkdir(parents=True)
    for name in ("a", "b", "c", "d", "e", "script"):
        (folder / f"{name}.py").write_text("")
    (folder / "all.py").write_text(
        '"""Not :mod:`inside_torch.run.a`."""\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n'
        "    from inside_torch.run.b import B\n\n\ndef late():\n    from . import c\n"
        "    import inside_torch.run.d\n"
        '    return ["-m", "inside_torch.run.e", "script.py"]\n'
    )
    found = Tree.of(tmp_path).code(["scripts/inside_torch/run/all.py"])
    assert {Path(name).stem for name in found} == {"all", "c", "d", "e", "script"}


def test_the_files_of_an_article_and_those_of_the_table_are_there():
    assert set(OF_AN_ARTICLE_FILES) <= HERE.digests.keys()
    for start in DATA:
        assert any(name.startswith(start) for name in GROUPS), start


@pytest.fixture
def suite(tmp_path):
    """A repository with this suite's conftest.py and two files of tests; gives what ran and what was said."""
    tests, code = tmp_path / "tests", tmp_path / "scripts" / "inside_torch"
    tests.mkdir()
    code.mkdir(parents=True)
    for file in (ROOT / "tests").glob("*.py"):
        if not file.name.startswith("test_"):
            (tests / file.name).write_text(file.read_text())
    (code / "errors.py").write_text("")
    (tmp_path / "pyproject.toml").write_text('[tool.pytest.ini_options]\ntestpaths = ["tests"]\n')
    (tests / "test_one.py").write_text("import inside_torch.errors\n\n\ndef test_one():\n    pass\n")
    (tests / "test_two.py").write_text(
        "def test_two():\n    assert True\n\n\ndef test_2():\n    assert True\n"
    )
    (code / "bench.py").write_text("")

    def run(*options: str) -> tuple[set[str], str]:
        command = [sys.executable, "-m", "pytest", "-v", *PLUGINS, "-p", "no:cacheprovider", *options]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        run.status = done.returncode
        ran = re.findall(
            r"(tests/\w+\.py::\w+)\S* (?:PASSED|FAILED)|(?:PASSED|FAILED) (tests/\S+)", done.stdout
        )
        return {group(one or other).removeprefix("tests/") for one, other in ran}, done.stdout + done.stderr

    run.root = tmp_path
    return run


def test_a_green_group_is_left_out_until_something_that_it_reads_changes(suite):
    both = {"test_one.py", "test_two.py"}
    assert suite("--changed")[0] == both, "nothing is known yet"
    ran, said = suite("--changed", "-n", "2")
    assert (ran, suite.status) == (set(), 0), said
    assert "0 groups of tests were run; 2 are as they were when they were green" in said
    (suite.root / "tests/test_two.py").write_text("def test_two():\n    assert False\n")
    for _ in range(2):  # what failed is run again, though nothing changed
        ran, said = suite("--changed")
        assert (ran, suite.status) == ({"test_two.py"}, 1), said
    (suite.root / "tests/test_two.py").write_text("def test_two():\n    assert 1\n\n\ndef test_2(): pass\n")
    assert suite("--changed", "-k", "test_2")[0] == {"test_two.py"}
    assert suite("--changed")[0] == {"test_two.py"}, "it was not run whole"
    figures = suite.root / "docs/en/contributing/figures.md"
    figures.parent.mkdir(parents=True)
    figures.write_text("# Figures\n")
    ran, said = suite("--record-times", "-n", "2")
    assert ran == both, "without the option everything is run"
    assert "# Figures\n\n## The suite" in figures.read_text(), said
    assert "| tests, 3 tests |" in figures.read_text()
    kept = json.loads((suite.root / "tests/times.json").read_text())
    assert kept.keys() == {"collection", *(f"tests/{name}" for name in both)}
    assert "s  tests/test_one.py" in said and "not kept" not in said
    (suite.root / "tests/test_two.py").write_text("def test_two():\n    assert False\n")
    _, said = suite("--record-times")
    assert "s  tests/test_one.py" in said and "not kept" in said, "the times of a red run are shown alone"
    assert json.loads((suite.root / "tests/times.json").read_text()) == kept


def test_a_run_of_some_files_proves_no_group(suite):
    assert suite("tests/test_one.py")[0] == {"test_one.py"}
    assert suite("--changed")[0] == {"test_one.py", "test_two.py"}
