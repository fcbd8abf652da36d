"""C++ symbols as a debugger prints them, trimmed to the name that a reader would search for."""

from __future__ import annotations

import re

_OPERATOR = re.compile(r"operator\s*(?:\(\)|\[\]|->\*?|<=>|[-+*/%^&|~!=<>]+|\"\"\s*\w+)")
_LAMBDA = re.compile(r"\{lambda\(")
_CLONE = re.compile(r"\s*\[clone [^\]]*\]|\.(?:isra|constprop|part|cold|lto_priv)(?:\.\d+)*$")
_QUALIFIERS = re.compile(r"(?: const)?(?: volatile)?(?: ?&{1,2})?(?=::)")
_ANONYMOUS = "(anonymous namespace)"


def trim(symbol: str) -> str:
    """The qualified name without arguments, template arguments, return type and compiler suffixes.

    ``at::Tensor ns::f<int>(at::Tensor const&) const`` gives ``ns::f``; a lambda keeps its number,
    ``ns::f::{lambda#1}::operator()``.
    """
    text = _CLONE.sub("", symbol)
    kept: list[str] = []
    position = 0
    while position < len(text):
        if text.startswith(_ANONYMOUS, position):
            kept.append(_ANONYMOUS)
            position += len(_ANONYMOUS)
        elif _LAMBDA.match(text, position):
            close = _close(text, position + len("{lambda"))
            end = text.find("}", close)
            kept.append("{lambda" + text[close + 1 : end] + "}")
            position = end + 1
        elif (match := _OPERATOR.match(text, position)) and (
            position == 0 or not text[position - 1].isalnum()
        ):
            kept.append(re.sub(r"\s", "", match[0]))
            position = match.end()
        elif text[position] in "<(":
            position = _close(text, position) + 1
            if kept and text[position - 1] == ")":
                if not (inner := _QUALIFIERS.match(text, position)):
                    break  # the arguments of the function itself
                position = inner.end()
        else:
            kept.append(text[position])
            position += 1
    name = "".join(kept).replace(_ANONYMOUS, "\0").strip()
    if not re.search(r"operator [\w:]+$", name):  # a conversion operator keeps its type
        name = name.rsplit(" ", 1)[-1].lstrip("*&")
    return name.replace("\0", _ANONYMOUS)


def _close(text: str, start: int) -> int:
    """The index of the bracket that closes the one at ``start``; the last index where none does."""
    pairs = {"<": ">", "(": ")", "{": "}", "[": "]"}
    open_: list[str] = []
    position = start
    while position < len(text):
        character = text[position]
        if (match := _OPERATOR.match(text, position)) and open_ and not text[position - 1].isalnum():
            position = match.end()
            continue
        if character in pairs:
            open_.append(pairs[character])
        elif open_ and character == open_[-1] and not (character == ">" and text[position - 1] == "-"):
            open_.pop()
            if not open_:
                return position
        position += 1
    return len(text) - 1
