"""The prose of a page as paragraphs and sentences, each with its place.

All offsets are those of ``Page.prose``. A sentence ends where a full stop, a question mark or an exclamation
mark is followed by something that can begin one; a bracket of links that follows, ``([proof](#x))``, still
belongs to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache

from inside_torch.book.fence_kinds import Block
from inside_torch.book.page import Link, Page

#: Kinds of block that prove a statement: they show what a run or the release says.
PROOFS = ("probe", "excerpt", "path", "output", "measurements")

_ITEM = re.compile(r"[ >]*(?:[-*+]|\d+[.)])\s+")
_ROW = re.compile(r"[ >]*\|")
_HEADING = re.compile(r"#{1,6}[ \t]")
_OWN = re.compile(r"[ >]*(?:!!!|\?\?\?\+?|===)[ +!]|\s*<[^<>]*>\s*$|\s*\[\^[^\]]+\]:|\s*:?\s*\{[:#.]")
_ANNOTATION = re.compile(r"\s*(?P<ticks>`+)(?!`).+?(?P=ticks)(?:\s+x\d+)?:\s+|\s*\d+\.\s+(?:`[^`]+`:\s+)?")
#: Words with a full stop that ends no sentence.
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|etc|resp|approx|fig|no|nos|vol|p|pp|Dr|Mr|Ms|St|[A-Z])\.|\.\.\.)$"
)
_END = re.compile(r"(?P<stop>[.!?…。！？]+[\"'”’)\]*_]*)(?P<gap>\s+|(?<=[。！？])|$)")
_BEGINS = re.compile(r"[\"'“‘(\[*_]*(?:[A-Z0-9`{<“]|[^\x00-\x7f])")
_PROOFS_AFTER = re.compile(r"\(\s*(?:\[[^\[\]]*\]\([^()\s]*\)[,;\s]*)+\)\.?\s*|<!--.*?-->\s*")


@dataclass(frozen=True)
class Sentence:
    """One sentence: where it begins and ends in the page's prose, with what it is written as."""

    start: int
    end: int
    text: str  # as the page has it, on one line

    def holds(self, offset: int) -> bool:
        """Whether an offset into the prose lies in it."""
        return self.start <= offset < self.end


@dataclass(frozen=True)
class Paragraph:
    """A paragraph, an item of a list, a table, or the text of an annotation."""

    start: int
    end: int
    kind: str  # paragraph, item, table, annotation
    fence: Block | None  # that holds it, of an annotation
    pattern: bool  # an annotation that sits on a line, and is no numbered step
    beside: tuple[Block, ...]  # the fences right before and right after it


class Prose:
    """The prose of a page, in paragraphs and sentences.

    ``text`` is ``Page.prose`` with the code spans put back; ``masked`` has an ``x`` for each character of a
    code span, so that no stop or word in code is taken for one of the text.
    """

    @classmethod
    @lru_cache(maxsize=512)
    def of(cls, page: Page) -> Prose:
        """That of a page, worked out once for all who ask."""
        return cls(page)

    def __init__(self, page: Page) -> None:
        self.page = page
        shown, masked = [], []
        for raw, line in zip(page.text.split("\n"), page.prose.split("\n"), strict=True):
            same = len(raw) == len(line) and line.strip() != ""
            shown.append(raw if same else line)
            code = (
                [a if a == b or a == "`" else "x" for a, b in zip(raw, line, strict=True)] if same else line
            )
            masked.append("".join(code))
        self.text = "\n".join(shown)
        self.masked = "\n".join(masked)

    @cached_property
    def paragraphs(self) -> list[Paragraph]:
        """In page order, headings left out."""
        holder = {
            line: block for block in self.page.blocks for line in range(block.line, block.fence.last_line + 1)
        }
        pieces: list[
            tuple[int, int, str, Block | None, bool]
        ] = []  # first and last line, …; a fence is one too
        lines = self.masked.split("\n")
        number = 0
        while number < len(lines):
            line, block = lines[number], holder.get(number + 1)
            if block and block.line == number + 1:
                pieces.append((number, number, "fence", block, False))
            elif line.strip():
                kind, pattern = self._kind(line, block)
                if kind == "heading":
                    pieces.append((number, number, kind, None, False))
                elif pieces and self._continues(pieces[-1], number, kind, block):
                    pieces[-1] = (pieces[-1][0], number, *pieces[-1][2:])
                else:
                    pieces.append((number, number, "paragraph" if kind == "" else kind, block, pattern))
            number += 1
        starts = [0]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        found = []
        outer = [piece for piece in pieces if piece[2] == "fence" or piece[3] is None]
        place = {id(piece): index for index, piece in enumerate(outer)}
        for piece in pieces:
            first, last, kind, block, pattern = piece
            if kind in ("fence", "heading"):
                continue
            near: list[Block] = []
            if block is None:
                at = place[id(piece)]
                near = [
                    other[3]
                    for other in (*outer[max(at - 1, 0) : at], *outer[at + 1 : at + 2])
                    if other[2] == "fence" and other[3] is not None
                ]
            found.append(Paragraph(starts[first], starts[last + 1] - 1, kind, block, pattern, tuple(near)))
        return found

    @staticmethod
    def _kind(line: str, block: Block | None) -> tuple[str, bool]:
        """What a line begins (nothing: the empty string), and whether it is an annotation on a line."""
        if block is not None:
            begins = _ANNOTATION.match(line) if not line.startswith(" " * 2) else None
            return ("annotation" if begins else "", bool(begins) and line.lstrip().startswith("`"))
        if _HEADING.match(line):
            return "heading", False
        if _ITEM.match(line):
            return "item", False
        if _ROW.match(line):
            return "table", False
        return ("paragraph" if _OWN.match(line) else ""), False

    @staticmethod
    def _continues(
        piece: tuple[int, int, str, Block | None, bool], number: int, kind: str, block: Block | None
    ) -> bool:
        """Whether a line goes on with the piece above it."""
        _, last, before, holder, _ = piece
        if before in ("fence", "heading") or holder is not block or last != number - 1:
            return False
        return kind == "" or (kind == "table" == before)

    def sentences(self, paragraph: Paragraph) -> list[Sentence]:
        """The sentences of a paragraph, in order; a row of a table is one."""
        if paragraph.kind == "table":
            cuts = [paragraph.start]
            cuts += [
                match.end() for match in re.finditer(r"\n", self.masked[paragraph.start : paragraph.end])
            ]
            cuts = [cut if number == 0 else cut + paragraph.start for number, cut in enumerate(cuts)]
            return [
                self._sentence(a, b) for a, b in zip(cuts, [*cuts[1:], paragraph.end], strict=True) if b > a
            ]
        head = None
        line = self.masked[paragraph.start : paragraph.end]
        if paragraph.kind == "annotation":
            head = _ANNOTATION.match(line)
        elif paragraph.kind == "item":
            head = _ITEM.match(line)
        return list(self._split(paragraph.start + (head.end() if head else 0), paragraph.end))

    def _split(self, start: int, end: int) -> Iterator[Sentence]:
        text = self.masked
        at = start
        for match in _END.finditer(text, start, end):
            if match.start() < at:
                continue
            if _ABBREVIATION.search(text, at, match.start() + 1) and text[match.start()] == ".":
                word = _ABBREVIATION.search(text, at, match.start() + 1)
                if word and word.end() == match.start() + 1:
                    continue
            if self._depth(at, match.start()):
                continue
            cut = match.end()
            while after := _PROOFS_AFTER.match(text, cut, end):
                cut = after.end()
            if cut < end and not _BEGINS.match(text, cut, end):
                continue
            yield self._sentence(at, cut)
            at = cut
        if text[at:end].strip():
            yield self._sentence(at, end)

    def _depth(self, start: int, end: int) -> bool:
        """Whether a bracket is open: a full stop in it ends no sentence of the text."""
        piece = self.masked[start:end]
        return piece.count("(") > piece.count(")") or piece.count("[") > piece.count("]")

    def _sentence(self, start: int, end: int) -> Sentence:
        return Sentence(start, end, " ".join(self.text[start:end].split()))

    @cached_property
    def links(self) -> list[tuple[Link, str]]:
        """Each link with its text as it is written, code spans and all."""
        return [
            (link, self.text[link.start : link.end] if link.end else link.text) for link in self.page.links
        ]
