"""The text of a link to PyTorch's source names what its address means."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from inside_torch.book.page import Link
from inside_torch.book.rules import rule
from inside_torch.book.sentences import Prose
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError

_CODE = re.compile(r"(`+)(?!`)(?P<code>.+?)(?<!`)\1(?!`)", re.DOTALL)
#: A link whose text is a code span, with an article before it or none: it names what it leads to.
_NAMES = re.compile(r"(?:(?:a|an|the|die|das)\s+)?(`+)(?!`)(?P<code>[^`]+)\1", re.IGNORECASE)
_DIFFERS = re.compile(r"\)\s*<!--\s*differs:\s*(?P<reason>[^>]*?)\s*-->")
_FILE = re.compile(r"[\w./<>-]*\.(?:py|pyi|cpp|h|cu|cuh|yaml|yml|mm|in|txt|md|cmake)")
_WORD = re.compile(r"[A-Za-z_]\w*")


@rule("link-text")
def link_texts(book: Book) -> Iterator[BookError]:
    """A link whose text is code has in its address the name that the code ends with, or says why not."""
    for page in book.sound:
        prose = Prose.of(page)
        links = [(link, text) for link, text in prose.links if link.target.startswith("src:") and link.end]
        for link, text in links:
            named = _NAMES.fullmatch(" ".join(text.split()))
            if _differs(prose, link):
                continue
            if named and not _agrees(named["code"], link.target):
                yield _wrong(page.path, link, named["code"], "an address that ends in that name")
                continue
            # In a longer text the code need not be the name, but then it is not that of the link beside it.
            codes = [match["code"] for match in _CODE.finditer(text)]
            if named or not codes or any(_agrees(code, link.target) for code in codes):
                continue
            for other, beside in links:
                swapped = [match["code"] for match in _CODE.finditer(beside)]
                if (
                    abs(other.line - link.line) <= 3
                    and any(_agrees(code, other.target) for code in codes)
                    and any(_agrees(code, link.target) for code in swapped)
                    and not any(_agrees(code, other.target) for code in swapped)
                ):
                    yield _wrong(page.path, link, text, f"the address of the link beside it, {other.target}")
                    break


def _differs(prose: Prose, link: Link) -> str:
    """Why a link means to name something else than it leads to, as a comment right after it says."""
    match = _DIFFERS.search(prose.text, link.end)
    inside = match and "\n\n" not in prose.text[link.end : match.start()]
    between = prose.text[link.end : match.start()] if match and inside else "["
    return match["reason"] if match and "[" not in between.removeprefix("]") else ""


def _agrees(code: str, target: str) -> bool:
    """Whether the name that a piece of code ends with stands in what an address narrows to."""
    path, _, text = " ".join(target.removeprefix("src:").split()).partition("#")
    path, _, symbol = path.partition("::")
    code = " ".join(code.split())
    if "." in code and f"/{path}".rpartition(".")[0].endswith(f"/{code.replace('.', '/')}"):
        return True  # a module by its dotted name
    if _FILE.fullmatch(code):
        return f"/{path}".endswith(f"/{code}")
    if text and (text.rstrip(" ,;({") in code or code in text):
        return True
    name = _last(code)
    if not name:
        return True  # no name in it: a number, an operator
    words = {*_WORD.findall(symbol), *_WORD.findall(text)}
    stem = path.rpartition("/")[2].partition(".")[0]
    if not symbol:
        words |= {stem, *path.split("/")}
    return name in words or (not symbol and name.replace("_", "").lower() == stem.replace("_", "").lower())


def _last(code: str) -> str:
    """The last name of a dotted or qualified one, arguments left out."""
    names = _WORD.findall(re.sub(r"[(<\[{].*", "", code)) or _WORD.findall(code)
    return names[-1] if names else ""


def _wrong(path: Path, link: Link, text: str, expected: str) -> BookError:
    return BookError(
        "link-text",
        f"`{' '.join(text.split())}` leads to {' '.join(link.target.split())}",
        f"{expected}, or `<!-- differs: why -->` after the link",
        file=path,
        line=link.line,
    )
