"""A count in the prose stands in what its own section proves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property

from inside_torch.book import fence_kinds
from inside_torch.book.page import Page
from inside_torch.book.recording import Output, PathRecording, Program
from inside_torch.book.rules import rule
from inside_torch.book.rules.numbers import MEASURED
from inside_torch.book.sentences import Prose, Sentence
from inside_torch.book.skeleton import MARK
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.lock import PinLock

#: Smaller counts are mostly those of our own words: three questions, two halves.
LEAST = 10
#: The sections in which a number is not of PyTorch.
_LEFT_OUT = ("prerequisites", "further-reading")

_ONES = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_ONES += [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORDS = {word: number for number, word in enumerate(_ONES)}
_WORDS |= {word: 10 * number for number, word in enumerate(_TENS, start=2)}
_WORDS |= {f"{ten}-{one}": _WORDS[ten] + _WORDS[one] for ten in _TENS for one in _ONES[1:10]}
_WORD = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(_WORDS, key=len, reverse=True))})(?![\w-])", re.IGNORECASE
)
_FIGURE = re.compile(r"(?<![\w.#/$:-])\d+(?:[,_]\d{3})*(?:\.\d+)?(?![\w-]|\.\d|:\d)")
_ANY_FIGURE = re.compile(r"\d+(?:[,_]\d{3})*(?:\.\d+)?")
#: What is no count: versions, years, dates, the standards of C++, steps, lines and modules by their number.
_NO_COUNT = re.compile(
    r"\d+\.\d+\.\d+|\b[23]\.\d\d?\b|\b(?:19|20)\d\d(?:-\d\d-\d\d)?\b|\bC\+\+\s?\d+"
    r"|\b(?:steps?|modules?|articles?|lines?|rules?|points?|PEP|RFC|Algorithm)\s+\d+"
    r"(?:(?:,| and| to|–)\s?\d+)*"
)
#: Code, values, comments, and links to the source or out of the book, which prove themselves.
_SHOWN = re.compile(
    r"(`+)(?!`).+?(?<!`)\1(?!`)|\{\{.*?\}\}|<!--.*?-->"
    r"|\[[^\[\]]*\]\((?:<(?:src|claim):[^>]*>|(?:src|claim|https?):(?:[^()\s]|\([^()\s]*\))*)\)"
    r"|\]\((?:<[^>]*>|[^()\s]|\([^()\s]*\))*\)|<[^<>\n]*>",
    re.DOTALL,
)
_EXCUSED = re.compile(r"<!--\s*number:\s*\S.*?-->")


@rule("typed-count")
def typed_counts(book: Book) -> Iterator[BookError]:
    """A count from ten on stands in code, output or quoted text of its section, or of a block it links to."""
    said = _Said(book)
    for page in book.articles:
        if page.errors:
            continue
        prose = Prose.of(page)
        lines = sorted({heading.line for heading in page.headings if heading.level <= 3})
        out = [page.section(name) for name in _LEFT_OUT]
        for paragraph in prose.paragraphs:
            line = page.line_of(paragraph.start)
            if any(first <= line < end for first, end in out) or prose.text.startswith(MARK, paragraph.start):
                continue
            first = max((at for at in lines if at <= line), default=0)
            end = min((at for at in lines if at > line), default=page.text.count("\n") + 2)
            section = [block for block in page.blocks if first <= block.line < end]
            for sentence in prose.sentences(paragraph):
                for count, value in _counts(prose, sentence):
                    near = [*section, *_linked(page, prose, sentence)]
                    if not said.by_any(value, near):
                        yield page.fault(
                            "typed-count",
                            page.line_of(sentence.start),
                            f"`{count}` in the prose, and nothing in its section says so",
                            "a number that its code, output or quoted text holds, a link to the block that "
                            "does, or `<!-- number: why -->` after the sentence",
                        )


def _counts(prose: Prose, sentence: Sentence) -> Iterator[tuple[str, str]]:
    """The counts that a sentence speaks of: as written, and in figures."""
    text = prose.text[sentence.start : sentence.end]
    if _EXCUSED.search(text):
        return
    text = _NO_COUNT.sub(" ", MEASURED.sub(" ", _SHOWN.sub(" ", text)))  # `typed-number` holds measured ones
    for match in _WORD.finditer(text):
        if (value := _WORDS[match[0].lower()]) >= LEAST:
            yield match[0], str(value)
    for match in _FIGURE.finditer(text):
        figure = match[0].replace(",", "").replace("_", "")
        if "." in figure or int(figure) >= LEAST:
            yield match[0], figure


def _linked(page: Page, prose: Prose, sentence: Sentence) -> list[fence_kinds.Block]:
    """The blocks of the page that a sentence links to."""
    wanted = {
        link.target[1:] for link, _ in prose.links if sentence.holds(link.start) and link.target[:1] == "#"
    }
    return [block for block in page.blocks if block.id in wanted]


class _Said:
    """The numbers that blocks hold, read when they are asked for; those of quoted source only in the end."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self._numbers: dict[tuple[str, str], set[str]] = {}

    @cached_property
    def _lock(self) -> PinLock:
        return PinLock.load(self.book.root)

    def by_any(self, value: str, blocks: list[fence_kinds.Block]) -> bool:
        """Whether one of the blocks holds a number."""
        for block in sorted(blocks, key=lambda block: block.kind == "excerpt"):
            key = (
                block.kind,
                block.subject if isinstance(block, fence_kinds.BookFence) else block.fence.body,
            )
            if key not in self._numbers:
                try:
                    self._numbers[key] = self._of(block)
                except BookError:
                    self._numbers[key] = set()  # the rule `recording`, or the pins, speak of it
            if value in self._numbers[key]:
                return True
        return False

    def _of(self, block: fence_kinds.Block) -> set[str]:
        if not isinstance(block, fence_kinds.BookFence):
            printed = sum(line.lstrip().startswith("#>") for line in block.fence.body.split("\n"))
            return _numbers(block.fence.body) | {str(printed)}
        if isinstance(block, fence_kinds.ExcerptFence):
            excerpt = self._lock.excerpt(block.subject)
            return _numbers("\n".join([block.subject, *(excerpt.lines if excerpt else ())]))
        if isinstance(
            block, fence_kinds.OutputFence | fence_kinds.ProgramFence | fence_kinds.MeasurementsFence
        ):
            program = Program.find(self.book.root, block.subject)
            text = "\n".join(file.read_text(encoding="utf-8") for file in program.files)
            if isinstance(block, fence_kinds.OutputFence):
                printed_text = Output.load(program.output).text
                return _numbers(text + printed_text) | {str(printed_text.count("\n"))}
            return _numbers(text)
        if isinstance(block, fence_kinds.PathFence):
            return {str(len(PathRecording.load(Program.find(self.book.root, block.subject).path).frames))}
        return set()


def _numbers(text: str) -> set[str]:
    """Every number of a text, in figures, those in words too."""
    found = {match[0].replace(",", "").replace("_", "") for match in _ANY_FIGURE.finditer(text)}
    return found | {str(_WORDS[match[0].lower()]) for match in _WORD.finditer(text)}
