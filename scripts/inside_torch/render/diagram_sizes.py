"""How large Mermaid draws each diagram, so that its place is kept: ``docs/diagrams.json``."""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from pathlib import Path

from inside_torch.errors import BookError
from inside_torch.files import write_whole

FILE = Path("docs", "diagrams.json")
#: What leads elsewhere, or is read out, takes no room.
_NO_ROOM = re.compile(r"\s*(?:click|links?|accTitle|accDescr)\b")

#: Width and height in CSS pixels.
Size = tuple[int, int]


def key(source: str) -> str:
    """What a diagram is known by: 12 hexadecimal digits of the sha256 of the lines that are drawn."""
    drawn = "\n".join(line for line in source.split("\n") if not _NO_ROOM.match(line))
    return hashlib.sha256(drawn.encode()).hexdigest()[:12]


def load(root: Path) -> dict[str, Size]:
    """The recorded sizes by key, none without a file; raises :class:`BookError` where it is not one."""
    file = root / FILE
    return _parsed(file.read_text("utf-8")) if file.is_file() else {}


@lru_cache(maxsize=4)
def _parsed(text: str) -> dict[str, Size]:
    try:
        read = {str(name): (int(width), int(height)) for name, (width, height) in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError):
        raise BookError(
            "diagram-sizes", "no sizes of diagrams", "what `inside-torch diagrams` writes", file=FILE
        ) from None
    return read


def save(root: Path, sizes: dict[str, Size]) -> None:
    """Write the sizes, one on a line."""
    lines = ",\n".join(f' "{name}": [{width}, {height}]' for name, (width, height) in sorted(sizes.items()))
    write_whole(root / FILE, f"{{\n{lines}\n}}\n")


def differ(one: Size, other: Size) -> bool:
    """Whether two sizes are further apart than two machines draw: 2 in 100, or 4 pixels."""
    return any(abs(a - b) > max(4, 0.02 * a) for a, b in zip(one, other, strict=True))
