"""What a page shows, read from its file: a browser, or a tree of it, would take a thousand times as long."""

from __future__ import annotations

import html
import re

UNSHOWN = re.compile(r"<!--.*?-->|<!doctype[^>]*>|<(script|style)\b.*?</\1>", re.DOTALL | re.IGNORECASE)
CODE = re.compile(r"<(pre|code)\b.*?</\1>", re.DOTALL)
#: A tag, in whose attributes there may be anything.
TAG = re.compile(r"""<[a-z/](?:[^<>"']|"[^"]*"|'[^']*')*>""", re.IGNORECASE)
TOLD = re.compile(r"""\b(?:content|title|aria-label)=(?:"([^"]*)"|'([^']*)')""")


def plain(part: str) -> str:
    """The text of a part of a page."""
    return html.unescape(TAG.sub("", part))


def code_and_text(page: str) -> tuple[str, str]:
    """What a page shows as code, and what it shows beside that."""
    page = UNSHOWN.sub("", page)
    return plain("".join(match[0] for match in CODE.finditer(page))), plain(CODE.sub("", page))


def told(page: str) -> list[str]:
    """What the attributes say that a browser shows, or reads out."""
    values = (TOLD.findall(tag) for tag in TAG.findall(UNSHOWN.sub("", page)))
    return [html.unescape("".join(value)) for found in values for value in found]
