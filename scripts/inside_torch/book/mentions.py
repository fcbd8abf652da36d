"""From a line of PyTorch to the places in the book that speak of it: the index of every pinned file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from inside_torch.book.uses import Use, collect
from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock
from inside_torch.pins.resolve import Pin
from inside_torch.pins.wheel import nearest_paths

_HEADING = re.compile(r"#{1,4} (?P<title>.*?)\s*\{#(?P<id>[\w-]+)\}\s*$")
_TITLE = re.compile(r"^title:\s*(.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Mention:
    """A pin where a page uses it: ``line`` (1-based) of ``page``, below the heading ``anchor``."""

    pin: Pin
    page: str  # module/article
    line: int
    anchor: str
    title: str  # the heading's words
    article: str  # the page's title


def mentions(root: Path, lock: PinLock, uses: Iterable[Use] | None = None) -> list[Mention]:
    """Every use of a pin on an English page of a module, in page order."""
    found = []
    texts: dict[Path, list[str]] = {}
    for use in collect(root) if uses is None else uses:
        parts = use.file.parts
        if parts[:2] != ("docs", "en") or len(parts) < 4 or not parts[2].startswith("module-"):
            continue
        lines = texts.setdefault(use.file, (root / use.file).read_text(encoding="utf-8").split("\n"))
        if use.written in lock:
            anchor, title = heading(lines, use.line)
            slug = Path(*parts[2:]).with_suffix("").as_posix()
            article = _TITLE.search("\n".join(lines[:12]))
            named = article[1].strip("'\"") if article else slug
            found.append(Mention(lock.pin(use.written), slug, use.line, anchor, title, named))
    return found


def heading(lines: list[str], line: int) -> tuple[str, str]:
    """Id and words of the heading that a line (1-based) stands under; empty above the first."""
    for text in reversed(lines[:line]):
        if match := _HEADING.match(text):
            return match["id"], match["title"]
    return "", ""


def holding(found: Iterable[Mention], path: str, line: int | None) -> list[Mention]:
    """The mentions of a file by line, or those whose pins hold a line of it (1-based), the narrowest first.

    Raises :class:`BookError` where no page speaks of the file, or of that line of it.
    """
    every = list(found)
    here = [mention for mention in every if mention.pin.address.path == path]
    if not here:
        known = sorted({mention.pin.address.path for mention in every})
        raise BookError(
            "where-file",
            f"no page speaks of {path}",
            "a file that the book pins, by its path in PyTorch's repository",
            nearest_paths(path, known),
        )
    if line is None:
        return sorted(here, key=lambda mention: (mention.pin.first or 0, mention.page, mention.line))
    pinned = [
        mention
        for mention in here
        if mention.pin.first is not None
        and mention.pin.last is not None
        and mention.pin.first <= line <= mention.pin.last
    ]
    if not pinned:
        ranges = sorted({(m.pin.first, m.pin.last) for m in here if m.pin.first and m.pin.last})
        close = sorted(ranges, key=lambda ends: min(abs(ends[0] - line), abs(ends[1] - line)))[:3]
        raise BookError(
            "where-line",
            f"no page speaks of line {line} of {path}",
            "a line that a pin holds",
            ", ".join(f"{first}-{last}" if first != last else str(first) for first, last in close),
        )
    return sorted(pinned, key=lambda m: ((m.pin.last or 0) - (m.pin.first or 0), m.page, m.line))


def repository_path(given: str, known: Iterable[str]) -> str:
    """The one of ``known`` that a path is or ends in (a checkout's, a traceback's); else the path itself."""
    given = given.replace("\\", "/").removeprefix("src:").removeprefix("./")
    ends = [path for path in known if given == path or given.endswith(f"/{path}")]
    if not ends and "site-packages/torch/include/ATen/" in given:
        return "aten/src/ATen/" + given.partition("torch/include/ATen/")[2]
    if not ends and "torch/include/" in given:
        return given.partition("torch/include/")[2]
    return max(ends, key=len) if ends else given
