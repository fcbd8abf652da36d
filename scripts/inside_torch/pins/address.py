"""The one form that names a place in PyTorch's source: ``src:path::symbol#text``."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from urllib.parse import unquote

from inside_torch.errors import BookError

FORM = "src:<path in the PyTorch repository>::<qualified symbol>#<text of one line>"

_PATH = re.compile(r"[A-Za-z0-9_.+-]+(?:/[A-Za-z0-9_.+-]+)*")
_NUMBER = re.compile(r"L?\d+(?:\s*[-:,]\s*L?\d+)?")
# What a browser or a Markdown renderer writes as %XX; an address that still holds one of these is not
# encoded.
_RAW = re.compile(r"[\s<>\"`^{}|]|[^\x00-\x7f]")


def collapse(text: str) -> str:
    """``text`` with every run of blanks made one blank, none at the ends."""
    return " ".join(text.split())


@dataclass(frozen=True, order=True)
class Address:
    """A file of the repository, a symbol in it or none, and a text that narrows to one line or none."""

    path: str
    symbol: str | None = None
    text: str | None = None

    @classmethod
    @functools.lru_cache(maxsize=8192)  # a book names each of its places again and again
    def parse(cls, address: str) -> Address:
        """Reads the written form, also as an URL (``%20`` for a blank); raises :class:`BookError`."""
        written = address.strip()
        if "%" in written and not _RAW.search(written):
            written = unquote(written)

        def wrong(found: str, nearest: str = "") -> BookError:
            return BookError("address-form", f"{found} in {address[:200]!r}", FORM, nearest)

        if not written.startswith("src:"):
            raise wrong("no leading src:", f"src:{written}" if _PATH.match(written) else "")
        if any(ord(character) < 32 or ord(character) == 127 for character in written.replace("\t", " ")):
            raise wrong("a control character")
        head, hash_sign, text = written.removeprefix("src:").partition("#")
        path, colons, symbol = head.partition("::")
        path, symbol, text = path.strip(), collapse(symbol), collapse(text)
        if not path:
            raise wrong("no path")
        if path.startswith("/") or re.match(r"[A-Za-z]:", path):
            raise wrong("an absolute path", f"src:{path.lstrip('/')}")
        if "\\" in path:
            raise wrong("a backslash", f"src:{head.replace(chr(92), '/')}")
        if any(part in (".", "..") for part in path.split("/")):
            raise wrong("a path that leaves its folder")
        if not _PATH.fullmatch(path):
            raise wrong(f"the path {path!r}")
        if colons and not symbol:
            raise wrong("'::' with no symbol after it", f"src:{path}")
        if hash_sign and not text:
            raise wrong("'#' with no text after it", f"src:{path}{colons}{symbol}")
        if text and _NUMBER.fullmatch(text):
            raise wrong(f"the line number #{text}", "the text of that line")
        return cls(path, symbol or None, text or None)

    @classmethod
    def of(cls, address: Address | str) -> Address:
        return address if isinstance(address, Address) else cls.parse(address)

    def __str__(self) -> str:
        symbol = f"::{self.symbol}" if self.symbol else ""
        return f"src:{self.path}{symbol}{f'#{self.text}' if self.text else ''}"
