"""A name in code type is one of the release, of the page's own code, or is said to be neither."""

from __future__ import annotations

import builtins
import keyword
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from inside_torch.book.fence_kinds import BookFence
from inside_torch.book.front_matter import ArticleFront, PageFront
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import Page
from inside_torch.book.recording import SNIPPETS, SOURCES
from inside_torch.book.rules import rule
from inside_torch.book.sentences import Prose
from inside_torch.book.skeleton import MARK
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.vocabulary import Vocabulary

_CODE = re.compile(r"(`+)(?!`)(?P<code>.+?)(?<!`)\1(?!`)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_PATH = re.compile(r"[\w.-]+(?:/[\w.-]+)+\.\w{1,5}")
_PYTHON = {*sys.stdlib_module_names, *dir(builtins), *keyword.kwlist}
#: Pages about the book, whose names are the book's.
_OURS = ("contributing/", "about/")
_TEXT = (*SOURCES, ".out", ".yml", ".toml", ".md", ".json")


@rule("unknown-name")
def unknown_names(book: Book) -> Iterator[BookError]:
    """Each name of three letters or more, and each path, in code type on a page is one that exists."""
    known = _release()
    pinned = _pinned(book)
    everywhere = _Words(_snippets(book, book.root / SNIPPETS))
    for page in book.sound:
        if page.language != ENGLISH or page.slug.startswith(_OURS):
            continue
        told = page.front.names if isinstance(page.front, ArticleFront | PageFront) else {}
        own = _Words("\n".join(block.fence.body for block in page.blocks if not isinstance(block, BookFence)))
        programs = (
            _Words(_snippets(book, book.root / SNIPPETS / page.slug)) if page.is_article else everywhere
        )
        prose = Prose.of(page)
        lines = prose.text.split("\n")
        used: set[str] = set()
        for match in _CODE.finditer(prose.text):
            code, line = match["code"], page.line_of(match.start())
            if lines[line - 1].startswith(MARK):
                continue  # still to be written; the rule `unwritten` asks for it
            if _PATH.fullmatch(code):
                if code in told:
                    used.add(code)
                elif not (known.holds_file(code) or pinned.endswith(code, own, programs)):
                    yield _wrong(page, line, code, "a path of the release", "")
                continue
            for name in dict.fromkeys(_NAME.findall(code)):
                if name in told:
                    used.add(name)
                elif len(name) > 2 and not any(
                    name in words for words in (_PYTHON, own, programs, pinned, known)
                ):
                    near = known.nearest(name)
                    yield _wrong(page, line, name, "a name of the release, or of the page's code", near)
        for name in set(told) - used:
            yield page.fault(
                "unknown-name",
                page.front_lines["names"],
                f"`{name}` in `names`, which stands in no code type on the page",
                "names that the page uses",
            )


@cache
def _release() -> Vocabulary:
    """The names of the installed release, which stays what it is while a book is checked again and again."""
    return Vocabulary.here()


class _Words:
    """Names and paths that stand in some text."""

    def __init__(self, text: str) -> None:
        self.names = set(_NAME.findall(text))
        self.text = text

    def __contains__(self, name: str) -> bool:
        return name in self.names

    def endswith(self, path: str, *others: _Words) -> bool:
        """Whether the text, or one of the others, speaks of a path."""
        return any(path in words.text for words in (self, *others))


def _pinned(book: Book) -> _Words:
    """What the pins and the recorded paths name, of files that the wheel does not hold too."""
    files = [book.root / "pins.lock", *(book.root / SNIPPETS).rglob("*.path.json")]
    return _Words("\n".join(file.read_text(encoding="utf-8") for file in files if file.is_file()))


def _snippets(book: Book, folder: Path) -> str:
    """The text of the programs below a folder and of what they print, with the paths of the files."""
    parts = []
    for file in sorted(folder.rglob("*")):
        if file.suffix in _TEXT and not file.name.endswith((".path.json", ".results.json")):
            text = file.read_text(encoding="utf-8", errors="replace")
            parts += [file.relative_to(book.root).as_posix(), text]
    return "\n".join(parts)


def _wrong(page: Page, line: int, name: str, expected: str, near: str) -> BookError:
    return page.fault(
        "unknown-name",
        line,
        f"`{name}`, which nothing in the release or the page's code is called",
        f"{expected}; `names: {{{name}: why}}` in the front matter where it is neither",
        near,
    )
