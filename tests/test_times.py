"""The time of a group: what counts as its, and the table that is made of it."""

from __future__ import annotations

import subprocess
import sys

from inside_torch.bench.figures import Figure, page_of, put_suite

from .times import COLLECTION, Clock, processor_seconds, room, section

BUSY = "import sys, time\nwhile time.process_time() < 0.5: pass\nprint('busy', flush=True)\nsys.stdin.read()"


def test_a_child_counts_while_it_lives_and_when_it_is_dead():
    before = processor_seconds()
    child = subprocess.Popen([sys.executable, "-c", BUSY], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout.readline() == b"busy\n"
    if sys.platform == "linux":
        assert processor_seconds() - before >= 0.4
    child.communicate()
    assert processor_seconds() - before >= 0.4


def test_what_is_done_apart_is_of_no_group():
    clock = Clock()
    clock.lap(COLLECTION)
    with clock.apart("the site"):
        subprocess.run([sys.executable, "-c", BUSY], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    clock.lap("a group")
    assert clock.seconds["the site"] >= 0.4 > clock.seconds["a group"]


def test_what_dies_unwaited_for_is_not_taken_from_the_group_in_which_it_dies():
    clock = Clock()
    clock.lap("where it lived")
    clock.last += 100  # of a process that has gone since, with its time
    clock.lap("where it died")
    assert clock.seconds["where it died"] == 0
    clock.lap("the next")
    assert 0 <= clock.seconds["the next"] < 10


def test_the_table_is_by_room_and_says_what_misses_its_target():
    seconds = {"module-01-sums/add": 12.0, "module-01-sums/carry": 22.0, "tests/pins/test_cpp.py": 700.0}
    seconds |= {"tests/pins/test_wheel.py": 10.0, "tests/test_dev.py": 5.0, COLLECTION: 20.0}
    rows = section(seconds, {"tests/pins/test_cpp.py": 7, "tests/pins/test_wheel.py": 1}, 600, 2).split("\n")
    assert "| tests/pins, 8 tests | 710.00 s |  |  |" in rows
    assert "| everything but the articles | 735.00 s | at most 720 s | missed |" in rows
    assert "| an article, the mean | 17.00 s | at most 20 s |  |" in rows
    assert "| an article, the most: `module-01-sums/carry` | 22.00 s | at most 20 s | missed |" in rows
    assert "10 minutes with\n2 processes" in "\n".join(rows)
    assert room("tests/test_dev.py") == "tests" and room("tests/pins/test_cpp.py") == "tests/pins"


def test_the_benchmark_and_the_suite_leave_each_others_figures():
    figure = Figure("a figure", 1.0, "s")
    page = put_suite(page_of([figure], "commit 1"), section({"tests/test_dev.py": 5.0}, {}, 60, 1))
    assert page.count("# Figures") == 1 and page.count("## The suite") == 1
    again = page_of([figure], "commit 2", page)
    assert again == page.replace("commit 1", "commit 2")
    assert put_suite(again, "## The suite\n\nnew\n").endswith("ordinary links.\n\n## The suite\n\nnew\n")
