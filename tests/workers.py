"""How the suite is divided where pytest-xdist runs it on several processes.

What must share a process, or take turns, is one group: an article's probes, whose globals pass from one to
the next, with its programs and its paths, which build the same extensions, its exercises, tried at once, and
its pages in the browser. Everything else goes by its file.

The site is built once for all processes and served by the one that hands out the groups, which outlives them.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from inside_torch.site.server import SiteServer
from xdist.scheduler import LoadScopeScheduling

#: The files whose tests of one article are one group.
OF_AN_ARTICLE_FILES = (
    *(f"tests/articles/test_every_{kind}.py" for kind in ("claim", "exercise", "path", "probe", "program")),
    "tests/site/test_every_page.py",
)
OF_AN_ARTICLE = re.compile(
    rf"(?:{'|'.join(map(re.escape, OF_AN_ARTICLE_FILES))})::\w+\[(?:en/|zh/)?(module-[\w-]+/[\w-]+)"
)


def group(test: str) -> str:
    """The group of a test, by its id."""
    if article := OF_AN_ARTICLE.match(test):
        return article[1]
    return test.partition("::")[0]


def longest_first(tests: Iterable[str], seconds: Mapping[str, float]) -> list[str]:
    """The groups of these tests, in the order in which they are handed out.

    ``seconds`` are those of an earlier run; a group that it did not have is begun early, with the time that
    it may take at most.
    """
    groups = dict.fromkeys(map(group, tests))
    return sorted(groups, key=lambda name: -seconds.get(name, 20.0))


class ByGroup(LoadScopeScheduling):
    """Gives each process a group at a time."""

    def _split_scope(self, nodeid: str) -> str:
        return group(nodeid)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Serves a folder, which need not be there yet; gives its address."""
    server = SiteServer(folder, port=0).start()
    yield server.url
    server.close()


_SITE = pytest.StashKey[dict[str, str]]()


def site_of_the_run(config: pytest.Config) -> dict[str, str]:
    """The folder for the site and its address, the same for every process of a run."""
    if _SITE not in config.stash:
        at_the_end = ExitStack()
        config.add_cleanup(at_the_end.close)
        folder = Path(at_the_end.enter_context(tempfile.TemporaryDirectory(prefix="inside-torch-site-")))
        url = at_the_end.enter_context(served(folder / "site"))
        config.stash[_SITE] = {"folder": str(folder / "site"), "url": url}
    return config.stash[_SITE]
