"""Find an error: the entries of the page of errors, and which of them a pasted text fits.

An entry is known by its heading and by the lines that its programs print. Words and pairs of neighbours
count; numbers, shapes and addresses do not. One counts the more, the fewer entries have it, and frames of a
traceback count little. ``docs/theme/assets/explain.js`` does the same in the browser; a test compares them.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

from inside_torch.book.fence_kinds import ProbeFence
from inside_torch.book.language import ENGLISH
from inside_torch.book.link_grammar import words_alone
from inside_torch.book.page import Page
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError

PLACE = "errors.md"
FRAME = 0.2  # what a word in a frame of a traceback counts, where one in its message counts 1
LEAST, WEIGHT = (
    0.4,
    18,
)  # the share of a message that a text must hold to fit it, and how much that must weigh
WHOLE = 0.9  # a share that is enough, however little it weighs
CLOSE = 0.4  # how near to the best entry another one must come to be told beside it
FEW = 4  # a printed line of fewer words is no message
MOST = 5  # entries told
#: A line of a traceback, without the name of the process that wrote it.
_LINE = re.compile(r"(?:\s*\[\w+\]:?)?(\s*)(.*)", re.DOTALL)
#: How the message of an error begins.
_RAISED = re.compile(r"[^A-Za-z0-9_]*[A-Za-z0-9_.]*(?:Error|Exception|Warning|Interrupt)(?:: |$)")


@dataclass(frozen=True)
class KnownError:
    """A message that people meet: under a heading of the third level."""

    title: str
    anchor: str
    area: str  # the heading of the second level above it
    line: int  # of the heading
    messages: tuple[str, ...]  # the heading, and what the programs below it print
    told: str  # what the page says of it, without code and links

    @cached_property
    def marks(self) -> list[set[str]]:
        """Words and pairs of words of each message; a heading's `…` joins nothing."""
        return [{mark for part in message.split("…") for mark in _marks(part)} for message in self.messages]


@dataclass(frozen=True)
class Fit:
    """An entry that a text fits, and how well: the more, the more and the rarer words they share."""

    entry: KnownError
    score: float


def entries(book: Book) -> list[KnownError]:
    """Those of the English page; :class:`BookError` (rule ``no-such-page``) in a book that has none."""
    page = book.page(ENGLISH, PLACE)
    if page is None:
        raise BookError("no-such-page", f"no page {PLACE}", "the page of errors", file=ENGLISH.docs / PLACE)
    return list(_entries(page))


def fitting(known: Iterable[KnownError], text: str) -> list[Fit]:
    """The entries that a text fits, best first, :data:`MOST` at most; none where nothing fits."""
    known = list(known)
    held = Counter(mark for entry in known for mark in set().union(*entry.marks))
    weight = {mark: math.log(1 + len(known) / count) for mark, count in held.items()}
    there = _weighed(text)
    found = []
    for entry in known:
        score = max(_score(marks, weight, there) for marks in entry.marks)
        if score:
            found.append(Fit(entry, score))
    found.sort(key=lambda fit: -fit.score)
    return [fit for fit in found[:MOST] if fit.score >= CLOSE * found[0].score]


def _score(marks: set[str], weight: dict[str, float], there: dict[str, float]) -> float:
    """How well a text fits one message; 0 where too little of it is there."""
    if not any(" " in mark and there.get(mark) == 1 for mark in marks):
        return 0
    shared = sum(weight[mark] * there.get(mark, 0) for mark in marks)
    share = shared / sum(weight[mark] for mark in marks)
    score = shared * share
    return score if share >= WHOLE or (share >= LEAST and score >= WEIGHT) else 0


def _entries(page: Page) -> Iterator[KnownError]:
    headings = [heading for heading in page.headings if heading.level <= 3]
    ends = [heading.line for heading in headings[1:]] + [page.text.count("\n") + 2]
    area, lines = "", page.prose.split("\n")
    for heading, end in zip(headings, ends, strict=True):
        if heading.level == 2:
            area = heading.text
        if heading.level < 3:
            continue
        printed = [
            match[1]
            for block in page.of(ProbeFence)
            if heading.line < block.line < end
            for match in re.finditer(r"^\s*#> (.*)$", block.fence.body, re.MULTILINE)
            if len(_words(match[1])) >= FEW
        ]
        told = words_alone(
            "\n".join(
                page.text.split("\n")[number - 1] if lines[number - 1].strip() else ""
                for number in range(heading.line + 1, end)
            )
        )
        paragraphs = [" ".join(part.split()) for part in re.split(r"\n\s*\n", told) if part.strip()]
        messages = (heading.text, *printed)
        yield KnownError(heading.text, heading.id, area, heading.line, messages, "\n\n".join(paragraphs))


def _weighed(text: str) -> dict[str, float]:
    """What each word and pair of words of a text counts."""
    found: dict[str, float] = {}
    above = -1  # how far in the frame of the line above stands, if that is one
    message: list[str] = []
    frames: list[str] = []
    for line in text.split("\n"):
        blank, rest = _LINE.fullmatch(line).groups()  # type: ignore[union-attr]
        frame = rest.startswith('File "')
        # Its source, mostly; a frame of typed code or of a library has none, and the message follows.
        source = above >= 0 and len(blank) >= above and not _RAISED.match(rest)
        (frames if frame or source else message).append(line)
        above = len(blank) if frame else -1
    for lines, counts in ((frames, FRAME), (message, 1.0)):
        found |= dict.fromkeys(_marks(" ".join(lines)), counts)
    return found


def _words(text: str) -> list[str]:
    """Those of two letters or more that begin with no figure."""
    return [word for word in re.findall(r"[a-z0-9_]+", text.lower()) if re.match(r"[a-z_].", word)]


def _marks(text: str) -> Iterator[str]:
    """Words, and pairs of neighbours."""
    words = _words(text)
    yield from words
    yield from (f"{first} {second}" for first, second in pairwise(words))
