"""The author's remarks: Markdown, but no HTML of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.inlinepatterns import BACKTICK_RE, BacktickInlineProcessor

from inside_torch.book.fence_kinds import Annotation
from inside_torch.book.link_grammar import ANGLED
from inside_torch.render.elements import element

# What is not looked into: code, as Markdown itself finds it, and the address of a link in angle brackets.
_CODE = BacktickInlineProcessor(BACKTICK_RE)
_ANGLED = re.compile(ANGLED, re.DOTALL)
# A tag opens with < and a letter, / ! or ?; the address of a link opens with <src: and is none.
_TAG = re.compile(r"<(?!src:)(?=[A-Za-z/!?])")


def without_html(text: str) -> str:
    """Markdown whose tags are shown instead of meant; code spans and ``(<src:…>)`` stay."""
    return _outside(_code_spans(text), text, _prose_without_html)


def _prose_without_html(text: str) -> str:
    addresses = (match.span() for match in _ANGLED.finditer(text))
    return _outside(addresses, text, lambda rest: _TAG.sub("&lt;", rest))


def _outside(kept: Iterable[tuple[int, int]], text: str, change: Callable[[str], str]) -> str:
    """The text, changed but in the ranges that are kept."""
    parts, end = [], 0
    for begin, after in kept:
        parts += [change(text[end:begin]), text[begin:after]]
        end = after
    return "".join([*parts, change(text[end:])])


def _code_spans(text: str) -> Iterator[tuple[int, int]]:
    """Where code begins and ends for Markdown, with its backticks: what we alone took for code were HTML."""
    start = 0
    while match := _CODE.compiled_re.search(text, start):
        if match[1]:  # escaped backslashes
            start = match.end()
            continue
        inner, end = _CODE.find_code_spans(match.start(), text)  # type: ignore[misc]  # its stub: None
        if end is None:  # backticks that nothing closes
            start = inner
            continue
        start = end + inner - match.start()
        yield match.start(), start


def write(md: Markdown, parent: Element, text: str) -> Element:
    """Read an author's text into ``parent``; its links are resolved with those of the page."""
    md.parser.parseChunk(parent, without_html(text))
    return parent


def note(md: Markdown, annotation: Annotation, label: str, **attributes: str) -> Element:
    """A remark that stands beside what it speaks of. ``label`` is what a screen reader calls it."""
    return write(md, element("div", "it-note", role="note", aria_label=label, **attributes), annotation.text)
