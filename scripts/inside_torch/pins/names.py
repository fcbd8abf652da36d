"""Names as the compiler writes them: mangled, demangled, shortened."""

from __future__ import annotations

import re

#: A source file of PyTorch as a library names it: after /pytorch/ or /__w/pytorch/pytorch/, where it was
#: built.
NAMED = re.compile(rb"/pytorch/(?:pytorch/)?([\w./+-]+\.\w+)\0")


def bare(symbol: str) -> str:
    """A symbol's qualified name without parameters."""
    depth = 0
    for place, letter in enumerate(symbol):
        if letter == "(" and depth == 0 and not symbol[:place].endswith(("operator", "::")) and place:
            return symbol[:place]
        depth += (letter == "{") - (letter == "}")
    return symbol


def last(name: str) -> str:
    """The last part of a qualified name: ``c`` of ``a::b::c``."""
    return name.rsplit("::", 1)[-1]


def shorten(symbol: str) -> str:
    """A demangled symbol without return type, template arguments and qualifiers: ``a::B::f(int, C)``."""
    symbol = re.sub(r" \[.*\]$", "", symbol).replace("(anonymous namespace)::", "").replace("[abi:cxx11]", "")
    symbol = re.sub(r"operator(<<=?|<=?>?|>>=?|>=?|->\*?)", lambda match: match[0].translate(_HIDE), symbol)
    out, depth = [], 0
    for letter in symbol:
        depth += letter == "<"
        if depth == 0:
            out.append(letter)
        depth -= letter == ">" and depth > 0
    text = "".join(out).translate(_SHOW)
    text = re.sub(r"\{lambda\(.*?\)#(\d+)\}", r"{lambda#\1}", text)
    name = bare(text)
    rest = text[len(name) :]
    if "operator" not in name:
        name = name.rsplit(" ", 1)[-1]
    return name + re.sub(r"\) (?:const|volatile|&|&&| )+$", ")", rest)


_HIDE = str.maketrans("<>", "\x01\x02")
_SHOW = str.maketrans("\x01\x02", "<>")
