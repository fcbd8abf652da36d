"""What the plugin counts of a run of the articles' tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from inside_torch.book.run_record import RunRecord, Tally

from tests.record_proof import CASE, OutcomeRecorder, build_name
from tests.tools import PLUGINS

SLUG = "module-01-sums/add"
EVERY = "tests/articles/test_every_"


def report(nodeid: str, outcome: str, when: str = "call") -> SimpleNamespace:
    return SimpleNamespace(nodeid=nodeid, outcome=outcome, when=when, passed=outcome == "passed")


@pytest.fixture
def root(tmp_path):
    page = tmp_path / "docs" / "en" / f"{SLUG}.md"
    page.parent.mkdir(parents=True)
    page.write_text("# Add\n")
    return tmp_path


@pytest.mark.parametrize(
    ("nodeid", "found"),
    [
        (f"{EVERY}probe.py::test_probe[{SLUG}#one[cpu]]", ("probe", SLUG, "cpu")),
        (f"{EVERY}probe.py::test_probe[zh/{SLUG}#one[cuda]]", ("probe", SLUG, "cuda")),
        (f"{EVERY}program.py::test_program[{SLUG}/x/main[cpu]]", ("program", SLUG, "cpu")),
        (f"{EVERY}path.py::test_path[{SLUG}/x[dry]]", ("path", SLUG, "dry")),
        (f"{EVERY}exercise.py::test_exercise[{SLUG}/exercises/y]", ("exercise", SLUG, None)),
    ],
)
def test_a_case_is_told_by_its_id(nodeid, found):
    case = CASE.fullmatch(nodeid)
    assert (case["kind"], case["slug"], case["device"]) == found


def test_other_tests_are_none_of_it():
    assert not CASE.fullmatch("tests/pins/test_wheel.py::test_x[module-01-sums/add]")


def test_outcomes_are_counted_by_article_and_device(root):
    recorder = OutcomeRecorder(root)
    probe = f"{EVERY}probe.py::test_probe[{SLUG}#one[cpu]]"
    recorder.pytest_runtest_logreport(report(probe, "passed", "setup"))
    recorder.pytest_runtest_logreport(report(probe, "passed"))
    recorder.pytest_runtest_logreport(report(f"{EVERY}path.py::test_path[{SLUG}/x[cpu]]", "failed"))
    recorder.pytest_runtest_logreport(report(f"{EVERY}probe.py::test_probe[{SLUG}#one[cuda]]", "skipped"))
    recorder.pytest_sessionfinish()
    proof = RunRecord.of(root, build_name(), "cpu")
    assert proof.articles[SLUG].tallies == {"probes": Tally(passed=1), "paths": Tally(failed=1)}
    assert not RunRecord.file(root, build_name(), "cuda").exists(), "a half that was skipped is no run"


def test_a_test_that_is_skipped_before_it_begins_is_counted_once(root):
    recorder = OutcomeRecorder(root)
    program = f"{EVERY}program.py::test_program[{SLUG}/x[cpu]]"
    recorder.pytest_runtest_logreport(report(program, "skipped", "setup"))
    recorder.pytest_runtest_logreport(report(f"{EVERY}path.py::test_path[{SLUG}/x]", "passed"))
    recorder.pytest_sessionfinish()
    assert RunRecord.of(root, build_name(), "cpu").articles[SLUG].tallies["programs"] == Tally(skipped=1)


def test_one_process_counts_what_several_ran(root):
    tests = root / "tests" / "articles"
    tests.mkdir(parents=True)
    for kind in ("probe", "exercise"):
        (tests / f"test_every_{kind}.py").write_text(
            "import pytest\n\n\n"
            f"@pytest.mark.parametrize('case', ['one', 'two'], ids='{SLUG}/{{}}'.format)\n"
            f"def test_{kind}(case):\n    assert case == 'one'\n"
        )
    options = ["-q", *PLUGINS, "-p", "no:cacheprovider", "-p", "tests.record_proof", "-c", os.devnull]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", *options, f"--rootdir={root}", "--record-proof", "-n", "2", tests],
        cwd=root,
        env=os.environ | {"PYTHONPATH": str(Path(__file__).parent.parent)},
        capture_output=True,
        text=True,
    )
    assert "2 failed, 2 passed" in finished.stdout, finished.stdout + finished.stderr
    half = Tally(passed=1, failed=1)
    assert RunRecord.of(root, build_name(), "cpu").articles[SLUG].tallies == {
        "exercises": half,
        "probes": half,
    }
