"""How the suite is divided: what cannot be torn apart goes to one process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from .tools import PLUGINS
from .workers import group, longest_first

ROOT = Path(__file__).parent.parent
EVERY = "tests/articles/test_every_"
SLUG = "module-02-autograd/saved-tensors"


@pytest.mark.parametrize(
    "test",
    [
        f"{EVERY}probe.py::test_probe[{SLUG}:L12[cpu]]",
        f"{EVERY}probe.py::test_probe[zh/{SLUG}#leaf[cuda]]",
        f"{EVERY}program.py::test_program[{SLUG}/folder/main[cpu]]",
        f"{EVERY}path.py::test_path[{SLUG}/one_checkpoint]",
        f"{EVERY}exercise.py::test_exercise[{SLUG}/exercises/x]",
        f"tests/site/test_every_page.py::test_page[zh/{SLUG}/]",
    ],
)
def test_what_runs_an_article_is_one_group(test):
    assert group(test) == SLUG


@pytest.mark.parametrize(
    ("test", "found"),
    [
        (f"{EVERY}probe.py::test_probe[errors:L12[cpu]]", f"{EVERY}probe.py"),
        ("tests/site/test_pages.py::test_title[a::b]", "tests/site/test_pages.py"),
        ("tests/site/test_every_page.py::test_page[en/module-02-autograd/]", "tests/site/test_every_page.py"),
        ("tests/pins/test_wheel.py::test_x[a::b]", "tests/pins/test_wheel.py"),
    ],
)
def test_the_rest_goes_by_file_or_by_what_it_builds(test, found):
    assert group(test) == found


def test_the_longest_group_is_first():
    quick = [f"tests/test_dev.py::test_{n}" for n in range(9)]
    tests = [*quick, f"{EVERY}path.py::test_path[{SLUG}/x]"]
    assert longest_first(tests, {SLUG: 9, "tests/test_dev.py": 1}) == [SLUG, "tests/test_dev.py"]
    assert longest_first(tests, {SLUG: 9}) == ["tests/test_dev.py", SLUG], "a new one may be long"


def test_a_group_stays_in_one_process_and_in_order(tmp_path):
    """Run for real, with this suite's own conftest.py."""
    tests = tmp_path / "tests"
    (tests / "articles").mkdir(parents=True)
    for file in (ROOT / "tests").glob("*.py"):
        if not file.name.startswith("test_"):
            (tests / file.name).write_text(file.read_text())
    note = "import os\nimport pytest\n\ndef note(name):\n"
    note += f"    with open({str(tmp_path / 'ran')!r}, 'a') as file:\n"
    note += "        print(os.environ['PYTEST_XDIST_WORKER'], name, file=file)\n\n"
    files = ("articles/test_every_path.py", "articles/test_every_probe.py", "test_c.py", "test_d.py")
    ids = "@pytest.mark.parametrize('n', range(5), ids='module-01-sums/add/{}'.format)\n"
    for name in files:
        (tests / name).write_text(f"{note}{ids}def test_one(n):\n    note('{name} ' + str(n))\n")
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *PLUGINS, "-p", "no:cacheprovider", "-n", "2", "tests"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "20 passed" in finished.stdout, finished.stdout + finished.stderr
    ran: dict[str, list[str]] = {}
    for line in (tmp_path / "ran").read_text().splitlines():
        worker, test = line.split(maxsplit=1)
        ran.setdefault(worker, []).append(test)
    assert len(ran) == 2
    for together in (files[:2], files[2:3], files[3:]):
        in_order = [f"{name} {n}" for name in together for n in range(5)]
        parts = [[test for test in tests if test in in_order] for tests in ran.values()]
        assert sorted(parts) == [[], in_order]
