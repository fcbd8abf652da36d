"""Measured numbers are taken from a recording, never typed."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inside_torch.book.article import Book, Page
from inside_torch.book.recording import Program, Results
from inside_torch.book.rules import rule
from inside_torch.errors import BookError, nearest

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


@rule("typed-number")
def typed_numbers(book: Book) -> Iterator[BookError]:
    """A number with a unit of time or memory, a share or a ratio is recorded, or links to its proof."""
    for page in book.sound:
        if not page.module:
            continue
        for match in MEASURED.finditer(_without_proven(page)):
            yield BookError(
                "typed-number",
                f"`{match[0].strip()}` in the prose",
                "{{ program:name }}, or a link from the number to the pin or block that proves it",
                file=page.path,
                line=page.line_of(match.start()),
            )


def _without_proven(page: Page) -> str:
    """The prose without measured values, link targets, tags, and the text of links that lead to a proof."""
    anchors = {block.id for block in page.blocks if block.id}
    prose = page.prose

    def blank(start: int, end: int) -> None:
        nonlocal prose
        prose = prose[:start] + re.sub(r"[^\n]", " ", prose[start:end]) + prose[end:]

    for link in page.links:
        proven = link.target.startswith("src:") or (link.target[:1] == "#" and link.target[1:] in anchors)
        if link.end:
            blank(link.start if proven else link.end, page.prose.find(")", link.end + 1 + len(link.target)))
    for match in re.finditer(r"\{\{.*?\}\}|<[^<>\n]*>|\{[:#.][^{}\n]*\}|https?://\S+", prose):
        blank(match.start(), match.end())
    return prose


def results_of(book: Book, program: str) -> Results | None:
    """The recorded numbers of a program; None where there are none, which the rule ``recording`` reports."""
    try:
        return Results.load(Program.find(book.root, program).results)
    except BookError:
        return None


@rule("measured-value")
def measured_values(book: Book) -> Iterator[BookError]:
    """A measured number on a page is one of its recording, in a format that a number takes."""
    for page in book.sound:
        wanted = [(value.program, value.name, value.format, value.line) for value in page.values]
        for block in page.of_kind("measurements"):
            if block.body:
                lines = block.body.key_lines.get("rows", [])
                wanted += [
                    (block.body.subject, name, "", line)
                    for name, line in zip(block.body.rows, lines, strict=False)
                ]
        for program, name, form, line in wanted:
            if not (results := results_of(book, program)):
                continue
            if name not in results.values:
                yield BookError(
                    "measured-value",
                    f"no `{name}` in the results of {program}",
                    "a name that was measured",
                    nearest(name, results.values),
                    page.path,
                    line,
                )
                continue
            try:
                format(results.values[name], form)
            except ValueError as error:
                yield BookError(
                    "measured-value",
                    f"the format `{form}`: {error}",
                    "a format like .2f",
                    file=page.path,
                    line=line,
                )
