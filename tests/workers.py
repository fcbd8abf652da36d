"""How the suite is divided where pytest-xdist runs it on several processes.

What must share a process, or take turns, is one group: an article's probes, whose globals pass from one to
the next, with its programs and its paths, which build the same extensions, and its exercises, tried at once;
the tests of the site, which build it once. Everything else goes by its file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from xdist.scheduler import LoadScopeScheduling

OF_AN_ARTICLE = re.compile(
    r"tests/articles/test_every_(?:probe|program|path|exercise|claim)\.py::\w+"
    r"\[(?:zh/)?(module-[\w-]+/[\w-]+)"
)
#: About how long one test takes, in seconds, where it takes long: the longest groups begin first.
SECONDS = {
    "tests/articles/test_every_exercise": 3,
    "tests/articles/test_every_path": 3,
    "tests/articles/test_every_program": 3,
    "tests/articles/test_the_copied_chip": 20,
    "tests/articles/test_the_extension_folder": 30,
    "tests/pins/test_witness": 2,
    "tests/run/": 2,
    "tests/site/": 2,
    "tests/test_contributing": 60,
}


def group(test: str) -> str:
    """The group of a test, by its id."""
    if article := OF_AN_ARTICLE.match(test):
        return article[1]
    return "tests/site" if test.startswith("tests/site/") else test.partition("::")[0]


def longest_first(tests: Iterable[str]) -> list[str]:
    """The groups of these tests, in the order in which they are handed out."""
    lengths: Counter[str] = Counter()
    for test in tests:
        lengths[group(test)] += next((s for start, s in SECONDS.items() if test.startswith(start)), 0.1)
    return [name for name, _ in lengths.most_common()]


class ByGroup(LoadScopeScheduling):
    """Gives each process a group at a time."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)
