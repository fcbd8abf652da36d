"""The author's remarks: Markdown, but no HTML of its own."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from markdown import Markdown

from inside_torch.book.fences import Annotation
from inside_torch.book.link_grammar import ANGLED
from inside_torch.render.elements import element

# What is not looked into: code, and the address of a link in angle brackets.
_CODE_SPAN = re.compile(rf"(`+)(?!`).*?(?<!`)\1(?!`)|{ANGLED}", re.DOTALL)
# A tag opens with < and a letter, / ! or ?; the address of a link opens with <src: and is none.
_TAG = re.compile(r"<(?!src:)(?=[A-Za-z/!?])")


def without_html(text: str) -> str:
    """Markdown whose tags are shown instead of meant; code spans and ``(<src:…>)`` stay."""
    parts, end = [], 0
    for span in _CODE_SPAN.finditer(text):
        parts += [_TAG.sub("&lt;", text[end : span.start()]), span[0]]
        end = span.end()
    return "".join([*parts, _TAG.sub("&lt;", text[end:])])


def write(md: Markdown, parent: Element, text: str) -> Element:
    """Read an author's text into ``parent``; its links are resolved with those of the page."""
    md.parser.parseChunk(parent, without_html(text))
    return parent


def note(md: Markdown, annotation: Annotation, label: str, **attributes: str) -> Element:
    """A remark that stands beside what it speaks of. ``label`` is what a screen reader calls it."""
    return write(md, element("div", "it-note", role="note", aria_label=label, **attributes), annotation.text)
