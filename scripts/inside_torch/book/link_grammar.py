"""The one grammar of a link: ``[text](target "title")``, whose target may be an address of PyTorch's source.

An address may hold blanks, paired parentheses, one line break and, in angle brackets, ``<`` and ``>``. Where
it holds a quote or ends in one, angle brackets tell it from a title.
"""

from __future__ import annotations

import re

_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'))?"""
_LETTER = r"[^()\n]|\n(?!\s*\n)"
_ADDRESS = rf"src:(?:{_LETTER}|\((?:{_LETTER}|\((?:{_LETTER})*\))*\))*?"
# The end of an address in angle brackets is a `>)` with no bracket open before it, as in
# `<src:a.h::f(vector<int>)>`; else the first one.
TARGET = re.compile(
    rf"\(\s*(?:<(?P<angled>{_ADDRESS}(?=>{_TITLE}\s*\))|src:(?:[^\n]|\n(?!\s*\n))*?|[^<>\n]*)>"
    rf"|(?P<plain>{_ADDRESS}(?={_TITLE}\s*\))|(?:[^\s()]|\([^\s()]*\))*))"
    rf"{_TITLE}\s*\)"
)
#: The target of a link whose address stands in angle brackets.
ANGLED = rf"\(<{_ADDRESS}>{_TITLE}\s*\)"
LINK = re.compile(rf"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]{TARGET.pattern}")
REFERENCE = re.compile(r"^ {0,3}\[(?!\^)[^\]]+\]:\s+(?:<(?P<angled>[^<>\n]*)>|(?P<plain>\S+))", re.MULTILINE)
#: An address where Markdown does not look for links.
RAW = re.compile(r"""\bhref=(["'])(?P<address>src:.*?)\1""")
_CLICK = re.compile(
    r"""^\s*click\s+\S+\s+(?:href\s+)?"(?P<click>[^"]+)"|^\s*link\s+[^:]+:.*?@\s*(?P<link>\S.*?)\s*$"""
)


def target(match: re.Match[str]) -> str:
    """Where a match of :data:`TARGET`, :data:`LINK` or :data:`REFERENCE` leads; an address on one line."""
    found = match["angled"] if match["angled"] is not None else match["plain"]
    return " ".join(found.split()) if found.startswith("src:") else found.strip()


def clicked(line: str) -> str | None:
    """Where a line of a Mermaid diagram makes a node lead; None for any other line."""
    match = _CLICK.match(line)
    return match["click"] or match["link"] if match else None


def words_alone(text: str) -> str:
    """A text whose links are reduced to their words."""
    return LINK.sub(lambda match: match["text"], text)
