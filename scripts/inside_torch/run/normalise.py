"""Named rules: they take the volatile part out of printed text, only where a page's fence names them."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: What a rule does: (pattern, replacement) pairs, in order.
RULES: dict[str, tuple[tuple[re.Pattern[str], str], ...]] = {
    # Where objects lie: <object at 0x7f12…>.
    "addresses": ((re.compile(r"\b0x[0-9a-fA-F]+"), "0x…"),),
    # Names made unique for a run: UUIDs (with - or _), id() of an object.
    "ids": (
        (
            re.compile(
                r"(?<![0-9a-f])[0-9a-f]{8}([-_])[0-9a-f]{4}(\1[0-9a-f]{4}){2}\1[0-9a-f]{12}(?![0-9a-f])"
            ),
            "…",
        ),
        (re.compile(r"(?<![\w.])\d{12,}(?![\w.])"), "…"),
    ),
    # Durations with a unit, dates, times of day.
    "times": (
        (re.compile(r"\b\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?)?"), "…"),
        (re.compile(r"\b\d\d:\d\d:\d\d(?:[.,]\d+)?"), "…"),
        (re.compile(r"\b\d+(?:\.\d+)?(?:e[-+]?\d+)?( ?)(ns|us|µs|μs|ms|s|seconds?|minutes?)\b"), r"…\1\2"),
    ),
    # What a tensor on the GPU prints more than one on the CPU, and what error messages call its type.
    "device": (
        (re.compile(r", device='cuda(?::\d+)?'"), ""),
        (re.compile(r"\btorch\.cuda\.(?=[A-Z]\w*Tensor\b)"), "torch."),
    ),
    # Absolute paths, down to what is the same on each machine.
    "paths": (
        (re.compile(r"(?<![\w:/.~-])(?:/[^\s/:'\"<>(),]+)*/(?:site-packages|snippets)/(?=[\w.])"), "…/"),
        (re.compile(r"(?<![\w:/.~…-])(?:/[^\s/:'\"<>(),]+)+/(?=[^\s/:'\"<>(),]+)"), "…/"),
    ),
}


#: What colours a terminal: a page shows the text.
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")


def normalise(text: str, rules: Sequence[str]) -> str:
    """``text`` with no codes for a terminal, and each of the named rules applied in their order."""
    text = _COLOUR.sub("", text)
    for name in rules:
        for pattern, replacement in RULES[name]:
            text = pattern.sub(replacement, text)
    return text
