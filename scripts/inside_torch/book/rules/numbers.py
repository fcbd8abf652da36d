"""Measured numbers are taken from a recording, never typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inside_torch.book.fence_kinds import MeasurementsFence
from inside_torch.book.page import Page
from inside_torch.book.recording import Program, Results
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError

_NUMBER = r"(?<![\w.#/-])(?:\d[\d,]*(?:\.\d+)?|\d*\.\d+)"
_WORD = r"\b(?:two|three|four|five|six|seven|eight|nine|ten|twenty|fifty|a hundred|a thousand)"
_MORE = r"(?:faster|slower|more|less|fewer|larger|smaller|bigger|longer|shorter|cheaper|dearer|as|the)\b"
_UNITS = (
    r"(?:ns|µs|μs|us|ms|nanoseconds?|microseconds?|milliseconds?|sec(?:ond)?s?|minutes?|min|hours?"
    r"|[KMGT]i?B(?:/s)?|[kKMGT]?[Ff][Ll][Oo][Pp][Ss]?/?s?|(?:kilo|mega|giga)bytes?|GHz|MHz)\b"
)

#: What makes a number a measured one: a ratio, a share, a time, an amount of memory.
MEASURED = re.compile(
    rf"{_NUMBER}\s?×(?!\s?\d)"
    rf"|{_NUMBER}x(?!\w)"
    rf"|(?:{_NUMBER}|{_WORD})\s+times\s+{_MORE}"
    rf"|\b(?:twice|thrice|half)\s+as\s+(?:fast|slow|much|many|long|large|big|small)\b"
    rf"|{_NUMBER}\s?(?:%|‰|percent\b|per cent\b)"
    rf"|{_NUMBER}\s?{_UNITS}"
    rf"|{_NUMBER}\s+s\b|(?<![\w.])\d+\.\d+s\b"
    rf"|{_NUMBER}\s?(?:倍|纳秒|微秒|毫秒|秒|分钟|小时|兆字节|吉字节)"
)

_TAG = re.compile(r"\{\{.*?\}\}|<[^<>\n]*>|\{[:#.][^{}\n]*\}|https?://\S+")
_BLACK = re.compile(r"[^\n]")


@rule("typed-number")
def typed_numbers(book: Book) -> Iterator[BookError]:
    """A number with a unit of time or memory, a share or a ratio is recorded, or links to its proof."""
    for page in book.sound:
        if not page.module:
            continue
        for match in MEASURED.finditer(_without_proven(page)):
            yield page.fault(
                "typed-number",
                page.line_of(match.start()),
                f"`{match[0].strip()}` in the prose",
                "{{ program:name }}, or a link from the number to the pin or block that proves it",
            )


def _without_proven(page: Page) -> str:
    """The prose without measured values, link targets, tags, and the text of links that lead to a proof."""
    anchors = {block.id for block in page.blocks if block.id}
    hidden = []
    for link in page.links:
        proven = link.target.startswith("src:") or (link.target[:1] == "#" and link.target[1:] in anchors)
        if link.end:
            end = page.prose.find(")", link.end + 1 + len(link.target))
            hidden.append((link.start if proven else link.end, end))
    return _TAG.sub(lambda tag: _BLACK.sub(" ", tag[0]), _blanked(page.prose, hidden))


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with blanks in the place of what lies in these spans; its lines stay."""
    letters = list(text)
    for start, end in spans:
        letters[start:end] = _BLACK.sub(" ", text[start:end])
    return "".join(letters)


@rule("measured-value")
def measured_values(book: Book) -> Iterator[BookError]:
    """A measured number on a page is one of its recording, in a format that a number takes."""
    for page in book.sound:
        wanted = [(value.program, value.name, value.format, value.line) for value in page.values]
        wanted += [
            (block.subject, row.name, "", row.line)
            for block in page.of(MeasurementsFence)
            for row in block.rows
        ]
        for program, name, form, line in wanted:
            try:
                results = Results.load(Program.find(book.root, program).results)
            except BookError:
                continue  # the rule `recording` speaks of it
            try:
                results.shown(name, form)
            except BookError as error:
                yield error.at(page.path, line)
