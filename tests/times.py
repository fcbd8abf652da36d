"""How much of a processor each group of tests takes, and the table of it in *Figures*."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from inside_torch.bench.figures import PAGE, Figure, put_suite
from inside_torch.files import write_whole
from inside_torch.run.machine import machine

from .workers import group

#: What takes time outside the tests.
COLLECTION, SITE = "collection", "the build of the site"
#: The groups' seconds of the last run that was kept, in the repository: the longest begin first.
KEPT = Path(__file__).with_name("times.json")


def kept() -> dict[str, float]:
    """Seconds by group, of the last run whose times were kept."""
    return json.loads(KEPT.read_text()) if KEPT.is_file() else {}


def processor_seconds() -> float:
    """What this process has used so far, with its children, the dead and, on Linux, the living."""
    used = sum(os.times()[:4])
    below, spent = defaultdict(list), {}
    for entry in os.scandir("/proc") if os.path.isdir("/proc") else ():
        if entry.name.isdigit():
            try:
                with open(f"/proc/{entry.name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
            except OSError:  # it ended
                continue
            below[int(fields[1])].append(int(entry.name))
            spent[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    todo = list(below[os.getpid()])
    while todo:
        child = todo.pop()
        used += spent.get(child, 0)
        todo += below[child]
    return used


class Clock:
    """A plugin that takes the time of the groups of one process; :attr:`seconds` are by group."""

    def __init__(self) -> None:
        self.seconds: Counter[str] = Counter()
        self.last = 0.0  # the start of the process

    def lap(self, name: str) -> None:
        """What was used since the last lap was for ``name``.

        A process that nobody waits for takes its time with it when it ends, as those of a browser do: it was
        counted while they lived, and is not taken from the group in which they end.
        """
        now = processor_seconds()
        self.seconds[name] += max(now - self.last, 0)
        self.last = now

    @contextmanager
    def apart(self, name: str) -> Iterator[None]:
        """What is done here is for ``name`` and not for the group that came to it first."""
        begun = processor_seconds()
        yield
        spent = processor_seconds() - begun
        self.seconds[name] += spent
        self.last += spent

    def pytest_collection_finish(self) -> None:
        """The tests are known."""
        self.lap(COLLECTION)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        """A group ends with its last test here."""
        done = yield
        if nextitem is None or group(nextitem.nodeid) != group(item.nodeid):
            self.lap(group(item.nodeid))
        return done


def room(name: str) -> str:
    """Where a group belongs in the table."""
    if name.startswith("module-"):
        return "articles"
    parts = name.split("/")
    return "/".join(parts[:2]) if len(parts) > 2 else "tests" if parts[0] == "tests" else name


def section(seconds: dict[str, float], tests: dict[str, int], wall: float, processes: int) -> str:
    """The table, as Markdown: by room, and an article's mean and most."""
    articles = {name: spent for name, spent in seconds.items() if room(name) == "articles"}
    rooms: Counter[str] = Counter()
    count: Counter[str] = Counter()
    for name, spent in seconds.items():
        rooms[room(name)] += spent
        count[room(name)] += tests.get(name, 0)
    rows = [
        Figure(f"{name}{f', {count[name]} tests' if count[name] else ''}", spent, "s")
        for name, spent in sorted(rooms.items(), key=lambda row: -row[1])
    ]
    machinery = sum(spent for name, spent in rooms.items() if name != "articles")
    rows.append(Figure("everything but the articles", machinery, "s", 720))
    if articles:
        longest = max(articles, key=articles.get)
        rows.append(Figure("an article, the mean", sum(articles.values()) / len(articles), "s", 20))
        rows.append(Figure(f"an article, the most: `{longest}`", articles[longest], "s", 20))
    lines = "\n".join(row.row() for row in rows)
    return f"""## The suite {{#suite}}

Seconds of one core that `python3 scripts/dev.py test --record-times` took by room, children and browser
included, on {machine()}: {wall / 60:.0f} minutes with
{processes} processes. An article's are its probes, programs, call paths and exercises, and its pages in the
browser; `collection` is that of all processes.

| room | measured | target | |
|---|---:|---:|---|
{lines}
"""


def keep(root: Path, seconds: dict[str, float], tests: dict[str, int], wall: float, processes: int) -> None:
    """Writes the times of a whole run into the repository: for the next run's order, and into *Figures*."""
    rounded = {name: round(spent, 1) for name, spent in sorted(seconds.items())}
    write_whole(KEPT, json.dumps(rounded, indent=1) + "\n")
    page = root / PAGE
    write_whole(page, put_suite(page.read_text("utf-8"), section(seconds, tests, wall, processes)))
