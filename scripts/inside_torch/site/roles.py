"""Cross-references in our docstrings, as the reference shows them.

The docstrings name objects by the roles of reStructuredText, which Python's tools know.
The reference is Markdown.
"""

from __future__ import annotations

import re

from griffe import Extension, Object

_ROLE = re.compile(r":[a-z]+:`(~?)([^`]+)`")


class Roles(Extension):
    """Replaces each role by the name alone; ``~`` shortens it to its last part, as it does elsewhere."""

    def on_object(self, *, obj: Object, **kwargs: object) -> None:
        if obj.docstring:
            obj.docstring.value = plain(obj.docstring.value)


def plain(text: str) -> str:
    """A docstring in Markdown."""
    return _ROLE.sub(lambda role: f"`{role[2].rpartition('.')[2] if role[1] else role[2]}`", text)
