"""Lines of code with true numbers, folds, and notes that stand beside the line they speak of."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Markdown
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.util import ClassNotFound

from inside_torch.book.fence_kinds import Annotation, Span
from inside_torch.errors import BookError
from inside_torch.pins.address import collapse
from inside_torch.pins.lock import Excerpt
from inside_torch.render.elements import element, stashed
from inside_torch.render.labels import Labels
from inside_torch.render.notes import note

_FORMATTER = HtmlFormatter(nowrap=True)
# The blanks before a line's first character, which must not be where a long line is broken.
_LEADING = re.compile(r"^( +)(<span[^>]*>)?(&#?\w+;|[^<\s])")
_PLAIN = re.compile(r'<span class="[npw]">([^<]*)</span>')
_MARK = re.compile(r'<span(?: class="(?:[a-z][a-z0-9]?|it-in)")?>([^<]*)</span>')
_NUMBER = re.compile(r'<(a|span) class="it-no" data-search-exclude="true"[^>]*>[^<]*</\1>')


@dataclass
class CodeLine:
    """One line of a listing."""

    number: int
    text: str  # as it stands in the file
    html: str = ""  # coloured, without the listing's common indentation
    indent: int = 0  # columns of indentation that are shown
    href: str | None = None
    gutter: str | None = None  # finished HTML in the place of the number


@dataclass
class Listing:
    """The lines that are shown, the stretches that are folded, the notes on them."""

    lines: list[CodeLine]
    folds: list[tuple[int, int]] = field(default_factory=list)  # first and last number of each
    notes: list[tuple[Annotation, list[int]]] = field(default_factory=list)  # the numbers noted
    asserted: dict[int, str] = field(default_factory=dict)  # step to the assertion that proves its line


_SEEN = ContextVar("seen", default=True)


@contextmanager
def unseen() -> Iterator[None]:
    """What is drawn here is for its faults alone: no colours and no plots, which take long and hide none."""
    token = _SEEN.set(False)
    try:
        yield
    finally:
        _SEEN.reset(token)


def is_seen() -> bool:
    """Whether somebody will look at what is drawn."""
    return _SEEN.get()


def coloured(text: str, language: str) -> str:
    """Code as highlighted HTML, line by line; plain where the language is unknown.

    ``language`` is a name that Pygments knows, or that of a file. A server that draws a page again colours
    only what has changed.
    """
    if not is_seen():
        return html.escape(text)
    # To look for the lexer of a file's name takes milliseconds, and the book has 200 programs.
    return _coloured(text, "python" if language.endswith(".py") else language)


@lru_cache(maxsize=4096)
def _coloured(text: str, language: str) -> str:
    return without_plain(highlight(text, _lexer(language), _FORMATTER))


@lru_cache
def _lexer(language: str) -> Lexer:
    options: dict[str, Any] = {"stripnl": False, "ensurenl": True}
    try:
        return (get_lexer_for_filename if "." in language else get_lexer_by_name)(language, **options)
    except ClassNotFound:
        return get_lexer_by_name("text", **options)


def without_plain(page: str) -> str:
    """HTML with no marks of blanks, punctuation and plain names, which have the colour of the block.

    They would add 9 % to the HTML of running-backward, the anchors of lines, which mkdocs.yml leaves out as
    well, another 9 %; and search would read each.
    """
    return _PLAIN.sub(r"\1", page)


def without_marks(page: str) -> str:
    """HTML with no marks of colours at all and no line numbers, for a reader of its text."""
    inner = _MARK.sub(r"\1", _NUMBER.sub("", page))
    return _MARK.sub(r"\1", inner)  # a line's first mark may have that of its blanks in it


def listing(numbered: list[tuple[int, str]], language: str, permalink: str | None = None) -> Listing:
    """Colour consecutive or picked lines. ``permalink`` is the file's address, to which ``#L12`` is added."""
    texts = [text.expandtabs(8).rstrip() for _, text in numbered]
    margin = min((len(text) - len(text.lstrip()) for text in texts if text), default=0)
    shown = [text[margin:] for text in texts]
    colours = coloured("\n".join(shown) + "\n", language).removesuffix("\n").split("\n")
    lines = [
        CodeLine(
            number,
            text,
            _LEADING.sub(r'\2<span class="it-in">\1\3</span>', colour),
            len(show) - len(show.lstrip()),
            f"{permalink}#L{number}" if permalink else None,
        )
        for (number, text), show, colour in zip(numbered, shown, colours, strict=True)
    ]
    return Listing(lines)


def quoted(excerpt: Excerpt, shows: Iterable[Span] = ()) -> Listing:
    """The lines of an excerpt that its fence shows."""
    listed = listing(list(enumerate(excerpt.lines, excerpt.first)), excerpt.language)
    for span in shows:
        narrow(listed, span)
    return listed


def narrow(listed: Listing, shows: Span) -> None:
    """Keep only what a ``show`` names."""
    first, last = _ends(listed, shows, "show")
    listed.lines = [line for line in listed.lines if first <= line.number <= last]


def fold(listed: Listing, folds: Span) -> None:
    """Fold what a ``fold`` names."""
    first, last = _ends(listed, folds, "fold")
    for other in listed.folds:
        if first <= other[1] and other[0] <= last:
            raise BookError("fold-overlap", f"fold: {folds}", "folds that do not overlap")
    listed.folds.append((first, last))


def _ends(listed: Listing, span: Span, key: str) -> tuple[int, int]:
    """The first line that holds the first text, and the first line after it that holds the second."""
    start, end = span.first, span.last
    begin = next((i for i, line in enumerate(listed.lines) if collapse(start) in collapse(line.text)), None)
    if begin is None:
        raise _no_line(f"{key}-range", start, listed.lines)
    if end is None:
        return listed.lines[begin].number, listed.lines[begin].number
    after = listed.lines[begin + 1 :]
    stop = next((line.number for line in after if collapse(end) in collapse(line.text)), None)
    if stop is None:
        raise _no_line(f"{key}-range", end, after)
    return listed.lines[begin].number, stop


def attach(listed: Listing, annotations: Iterable[Annotation]) -> None:
    """Find the lines of each annotation; they are as many as it says, and none of them is folded."""
    for annotation in annotations:
        if annotation.pattern is None:
            raise BookError(
                "annotation",
                f"step {annotation.step} has no pattern, but the text is shown",
                "`pattern`: text",
                line=annotation.line,
            )
        pattern = collapse(annotation.pattern)
        found = [line.number for line in listed.lines if pattern in collapse(line.text)]
        if not found:
            error = _no_line("annotation-match", annotation.pattern, listed.lines)
            error.line = annotation.line
            raise error
        if len(found) != annotation.count:
            raise BookError(
                "annotation-match",
                f"`{annotation.pattern}` is on {len(found)} lines: {', '.join(map(str, found))}",
                f"{annotation.count}, or x{len(found)} after the pattern",
                line=annotation.line,
            )
        hidden = [number for number in found if any(a <= number <= b for a, b in listed.folds)]
        if hidden:
            raise BookError(
                "annotation-folded",
                f"`{annotation.pattern}` is on line {hidden[0]}, which is folded",
                "a line that is seen without a click",
                line=annotation.line,
            )
        listed.notes.append((annotation, found))


def _no_line(rule: str, text: str, lines: list[CodeLine]) -> BookError:
    """No line holds a text: name the one whose words are most like its words."""
    wanted = re.findall(r"\w+", text)

    def likeness(line: CodeLine) -> float:
        words = re.findall(r"\w+", line.text)
        return sum(
            max((SequenceMatcher(None, one, other).ratio() for other in words), default=0) for one in wanted
        )

    near = max(lines, key=likeness, default=None)
    said = f"line {near.number}: {collapse(near.text)}" if near and likeness(near) > len(wanted) / 2 else ""
    return BookError(rule, f"no line holds `{text}`", "a text of one of the lines shown", said)


def draw(md: Markdown, listed: Listing, labels: Labels) -> Element:
    """The listing as a tree: each note inside the line it speaks of, finished lines as stashed HTML."""
    starts: dict[int, list[tuple[int, Annotation]]] = {}
    marks: dict[int, list[int]] = {}
    for index, (annotation, numbers) in enumerate(listed.notes, 1):
        starts.setdefault(numbers[0], []).append((index, annotation))
        for number in numbers:
            marks.setdefault(number, []).append(index)
    digits = len(str(listed.lines[-1].number)) if listed.lines else 1
    body = element("div", "it-code highlight" + (" it-code--noted" if listed.notes else ""))
    body.set("style", f"--it-digits:{digits}")
    target, until = body, None
    plain: list[str] = []

    def flush() -> None:
        """Put the plain lines gathered so far where they belong, as one piece of finished HTML."""
        if plain:
            holder = element("div", "it-run")
            holder.text = stashed(md, "".join(plain))
            target.append(holder)
            plain.clear()

    for line in listed.lines:
        if until is not None and line.number > until:
            flush()
            target, until = body, None
        opened = next((pair for pair in listed.folds if pair[0] == line.number), None)
        if opened:
            flush()
            folded = sum(1 for other in listed.lines if opened[0] <= other.number <= opened[1])
            name = "fold-one" if folded == 1 else "fold"
            summary = element("summary", "", labels(name, count=folded, first=opened[0], last=opened[1]))
            target, until = element("details", "it-fold", summary), opened[1]
            body.append(target)
        if line.number not in marks:
            plain.append(f'<div class="it-line"{_hang(line)}>{_inner(line)}</div>')
            continue
        flush()
        noted = element("div", "it-line it-line--noted")
        noted.set("style", _hang(line)[8:-1])
        noted.set("data-notes", " ".join(map(str, marks[line.number])))
        noted.text = stashed(md, _inner(line))
        for index, annotation in starts.get(line.number, ()):
            name = labels("note", line=line.number) if line.gutter is None else labels("step", number=index)
            remark = note(md, annotation, name, data_notes=str(index))
            if annotation.step is not None:
                if told := listed.asserted.get(annotation.step):
                    remark.insert(0, element("code", "it-asserted", told))
                remark.insert(0, element("span", "it-chip", str(annotation.step), aria_hidden="true"))
            noted.append(remark)
        target.append(noted)
    flush()
    return body


def _hang(line: CodeLine) -> str:
    """How far a line that wraps is set in, in columns."""
    return f' style="--i:{line.indent}"'


def _inner(line: CodeLine) -> str:
    number = line.gutter or (
        f'<a class="it-no" data-search-exclude="true" href="{html.escape(line.href)}" target="_blank"'
        f' rel="noopener" tabindex="-1">{line.number}</a>'
        if line.href
        else f'<span class="it-no" data-search-exclude="true">{line.number}</span>'
    )
    # A pre keeps its blanks whoever reads the page; it holds no code element, or it would get a copy button.
    return f'{number}<pre class="it-text">{line.html or " "}</pre>'
