"""A page of the book as data: front matter, headings, fences, links, and the line where each stands."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from markdown.extensions.toc import slugify

from inside_torch.book.fence_kinds import (
    Block,
    BookFence,
    DiagramFence,
    ExcerptFence,
    MeasurementsFence,
    kind_of,
    parse,
)
from inside_torch.book.fences import Fence, split
from inside_torch.book.front_matter import (
    ArticleFront,
    ArticleTranslationFront,
    Front,
    FrontMatter,
    PageFront,
    PageTranslationFront,
    TranslatedFront,
)
from inside_torch.book.language import ENGLISH, Language, split_front
from inside_torch.book.link_grammar import LINK, REFERENCE, clicked, target
from inside_torch.errors import BookError
from inside_torch.pins.address import Address, collapse

#: The ids of the second-level headings of an article, in order.
SECTIONS = (
    "overview",
    "prerequisites",
    "concepts",
    "source-analysis",
    "path-debugging",
    "examples",
    "summary",
    "further-reading",
)


@dataclass(frozen=True)
class Heading:
    """A heading; ``id`` is what its anchor will be, ``explicit`` says whether the page spells it out."""

    level: int
    text: str
    id: str
    explicit: bool
    line: int


@dataclass(frozen=True)
class Link:
    """A link or an image in the prose or in an annotation."""

    text: str
    target: str
    line: int
    image: bool = False
    start: int = 0  # where its text begins and ends in the page's prose
    end: int = 0


@dataclass(frozen=True)
class Value:
    """A measured number taken into the prose: ``{{ program:name | format }}``."""

    program: str
    name: str
    format: str
    line: int


@dataclass(frozen=True)
class ClaimValue:
    """A counted number taken into the prose: ``{{ claim:formula-has-wrapper.count }}``."""

    target: str  # claim:formula-has-wrapper
    name: str
    line: int


@dataclass(frozen=True)
class Use:
    """A place where an address of PyTorch's source is used: ``line`` (1-based) of ``file``."""

    written: str
    file: Path
    line: int

    @property
    def address(self) -> Address:
        """Raises :class:`BookError`, with the place, where what is written is none."""
        try:
            return Address.parse(self.written)
        except BookError as error:
            raise error.at(self.file, self.line) from None


AnyBlock = TypeVar("AnyBlock", bound=Block)

_HEADING = re.compile(
    r"^(?P<marks>#{1,6})[ \t]+(?P<text>.*?)[ \t]*(?:\{(?P<attributes>[^{}]*)\})?[ \t]*#*[ \t]*$"
)
_CODE_SPAN = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?:[^\n]|\n(?!\s*\n))*?(?<!`)(?P=ticks)(?!`)")
_VALUE = re.compile(r"\{\{(?P<inner>.*?)\}\}")
_VALUE_INNER = re.compile(r"^\s*(?P<program>[\w./-]+):(?P<name>[\w.-]+)\s*(?:\|\s*(?P<format>[^|}]*?)\s*)?$")
#: A counted number in the prose: the claim, and what of it.
CLAIM_VALUE = r"\{\{\s*(claim:[\w/-]+)\.(\w+)\s*\}\}"
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_ATTRIBUTE_ID = re.compile(r"\{:?[^{}\n]*?#(?P<id>[\w.-]+)[^{}\n]*\}")
_HTML_ID = re.compile(r"<\w[^>]*?\s(?:id|name)=\"(?P<id>[^\"]+)\"")


@dataclass(eq=False)  # a key: what is worked out from a page is kept for it
class Page:
    """One Markdown file of ``docs/<language>``.

    ``text`` is the body: the file with its front matter blanked, so that line numbers are those of the file.
    ``errors`` are those of its grammar; a page that has any is not looked at further.
    """

    root: Path
    path: Path  # below root
    language: Language
    text: str
    front: Front | None = None
    front_data: dict[str, Any] = field(default_factory=dict)  # as it is written, right or wrong
    front_lines: dict[str, int] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    prose: str = ""  # without fences, comments, indented code and code spans; with the text of annotations
    indented_code: list[int] = field(default_factory=list)
    errors: list[BookError] = field(default_factory=list)

    @cached_property
    def place(self) -> str:
        """The path below ``docs/<language>``, the same in every language: ``module-…/article.md``."""
        return self.path.relative_to(self.language.docs).as_posix()

    @property
    def slug(self) -> str:
        """The place with no suffix: for an article ``<module>/<article>``."""
        return self.place.removesuffix(".md")

    @property
    def module(self) -> str:
        """The folder of an article or of a module's index, else the empty string."""
        first, _, rest = self.place.partition("/")
        return first if rest and first.startswith("module-") else ""

    @property
    def is_article(self) -> bool:
        """Whether it is an article, and not an index or a page about the book."""
        return bool(self.module) and not self.place.endswith("/index.md")

    @cached_property
    def title(self) -> str:
        """As its front matter has it, else its first heading, else its slug."""
        first = next((heading.text for heading in self.headings if heading.level == 1), self.slug)
        return str(self.front_data.get("title") or first)

    @property
    def is_english(self) -> bool:
        return self.language == ENGLISH

    @property
    def translated_from(self) -> str | None:
        """The digest of the English page that a translation was made from."""
        return self.front.translated_from if isinstance(self.front, TranslatedFront) else None

    @property
    def is_behind(self) -> bool:
        """Whether it is a translation that says of itself that its original has changed since."""
        return isinstance(self.front, TranslatedFront) and self.front.behind

    @property
    def is_original(self) -> bool:
        """Whether its fences are its own: English, or a translation of an English page that is no more."""
        return self.is_english or self.is_behind

    @property
    def file(self) -> Path:
        return self.root / self.path

    def fault(self, rule: str, line: int | None, found: str, expected: str = "", near: str = "") -> BookError:
        """What is wrong on a line of this page."""
        return BookError(rule, found, expected, near, self.path, line)

    def line_of(self, offset: int) -> int:
        """The line of an offset into ``text`` or ``prose``."""
        return self.prose.count("\n", 0, offset) + 1

    @cached_property
    def headings(self) -> list[Heading]:
        """All headings; where no id is spelled out, it is what Python-Markdown makes of the text."""
        found = []
        for number, line in enumerate(self._lines_of_prose, start=1):
            if not (match := _HEADING.match(line)):
                continue
            spelled = re.search(r"#([^\s}]+)", match["attributes"] or "")
            text = self.text.split("\n")[number - 1][len(match["marks"]) :].split(" {")[0].strip()
            anchor = spelled[1] if spelled else slugify(re.sub(r"[`*]", "", text), "-")
            found.append(Heading(len(match["marks"]), text, anchor, bool(spelled), number))
        return found

    @property
    def _lines_of_prose(self) -> list[str]:
        return self.prose.split("\n")

    @cached_property
    def links(self) -> list[Link]:
        """Links and images, in order, those of annotations and of labels too."""
        found = []
        # Without comments: nothing in them is published.
        prose = _COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), self.prose)
        for match in LINK.finditer(prose):
            line = self.line_of(match.start())
            start, end = match.span("text")
            found.append(Link(match["text"], target(match), line, bool(match["image"]), start, end))
            # A link inside the text of another is an image; nothing else can stand there.
            found += [
                Link(inner["text"], target(inner), line, True) for inner in LINK.finditer(match["text"])
            ]
        for match in REFERENCE.finditer(prose):
            found.append(Link("", target(match), self.line_of(match.start())))
        for row in (row for block in self.of(MeasurementsFence) for row in block.rows):
            found += [Link(match["text"], target(match), row.line) for match in LINK.finditer(row.label)]
        return sorted(found, key=lambda link: link.line)

    @cached_property
    def ids(self) -> list[tuple[str, int]]:
        """Every anchor of the page with its line, doubles included."""
        found = [(heading.id, heading.line) for heading in self.headings]
        found += [(block.id, block.line) for block in self.blocks if block.id]
        for number, line in enumerate(self._lines_of_prose, start=1):
            if not _HEADING.match(line):
                found += [(match["id"], number) for match in _ATTRIBUTE_ID.finditer(line)]
                found += [(match["id"], number) for match in _HTML_ID.finditer(line)]
        return sorted(found, key=lambda pair: pair[1])

    @cached_property
    def values(self) -> list[Value]:
        """The measured numbers that the prose takes from recordings."""
        found = []
        for match in _VALUE.finditer(self.prose):
            if re.fullmatch(CLAIM_VALUE, match[0]):
                continue
            if inner := _VALUE_INNER.match(match["inner"]):
                line = self.line_of(match.start())
                found.append(Value(inner["program"], inner["name"], inner["format"] or "", line))
        return found

    @cached_property
    def claim_values(self) -> list[ClaimValue]:
        """The numbers that the prose takes from what was counted."""
        return [
            ClaimValue(match[1], match[2], self.line_of(match.start()))
            for match in re.finditer(CLAIM_VALUE, self.prose)
        ]

    @cached_property
    def uses(self) -> list[Use]:
        """Every address on the page, in page order: links, excerpts, clicks of diagrams."""
        found = [(link.line, link.target) for link in self.links]
        for block in self.blocks:
            if isinstance(block, ExcerptFence):
                found.append((block.fence.body_line, block.subject))
            elif isinstance(block, DiagramFence):
                lines = enumerate(block.fence.body.split("\n"), start=block.fence.body_line)
                found += [(number, leads) for number, line in lines if (leads := clicked(line))]
        return [
            Use(collapse(address), self.path, line)
            for line, address in sorted(found, key=lambda pair: pair[0])
            if address.startswith("src:")
        ]

    def heading_above(self, line: int) -> tuple[str, str]:
        """Id and words of the heading that a line (1-based) stands under; empty above the first."""
        above = [heading for heading in self.headings if heading.explicit and heading.line <= line]
        return (above[-1].id, above[-1].text) if above else ("", "")

    def section(self, anchor: str) -> tuple[int, int]:
        """First line after a second-level heading, and the line at which its section has ended."""
        lines = [heading for heading in self.headings if heading.level <= 2]
        for number, heading in enumerate(lines):
            if heading.id == anchor and heading.level == 2:
                end = lines[number + 1].line if number + 1 < len(lines) else self.text.count("\n") + 2
                return heading.line + 1, end
        return 0, 0

    def of(self, kind: type[AnyBlock]) -> list[AnyBlock]:
        """The blocks of a kind, in page order."""
        return [block for block in self.blocks if isinstance(block, kind)]

    @classmethod
    def load(cls, root: Path, file: Path, language: Language) -> Page:
        """Read and parse one file. What is wrong with its grammar is in ``errors``, nothing is raised.

        A page is parsed once in a process, and again when its file has changed.
        """
        status = file.stat()
        return _parsed(root, file, language, status.st_mtime_ns, status.st_size)

    @classmethod
    def _parse(cls, root: Path, file: Path, language: Language) -> Page:
        path = file.relative_to(root)
        try:
            whole = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            line = file.read_bytes().count(b"\n", 0, error.start) + 1
            wrong = BookError(
                "encoding", f"{error.reason} at byte {error.start}", "UTF-8", file=path, line=line
            )
            return cls(root, path, language, "", errors=[wrong])
        page = cls(root, path, language, whole)
        if whole.startswith("\ufeff"):
            page.errors.append(BookError("encoding", "a byte order mark", "none", file=path, line=1))
            return page
        page._read_front(whole)
        try:
            fences, prose, page.indented_code = split(page.text)
        except BookError as error:
            page.errors.append(error.at(page.path))
            return page
        lines = prose.split("\n")
        for fence in fences:
            page._read_fence(fence, lines)
        prose = "\n".join(lines)
        for span in _CODE_SPAN.finditer(prose) if page.module else ():
            if value := _VALUE.search(span[0]):
                line = prose.count("\n", 0, span.start()) + 1
                found = f"{span[0]}, in which it stays as it is"
                page.errors.append(page.fault("measured-value", line, found, f"{value[0]}, not as code"))
        page.prose = _CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", " ", span[0]), prose)
        for match in _VALUE.finditer(page.prose):
            if not re.fullmatch(CLAIM_VALUE, match[0]) and not _VALUE_INNER.match(match["inner"]):
                page.errors.append(
                    page.fault(
                        "measured-value",
                        page.line_of(match.start()),
                        match[0],
                        "{{ program:name }} or {{ program:name | .2f }}",
                    )
                )
        return page

    def _read_fence(self, fence: Fence, lines: list[str]) -> None:
        """Add a block for the fence, and give its annotations back to the prose."""
        block, wrong = parse(fence)
        self.errors += [error.at(self.path) for error in wrong]
        if block is not None:
            self.blocks.append(block)
        kind = kind_of(fence)
        if issubclass(kind, BookFence) and kind.annotated:
            inner = fence.body.split("\n")[:-1]
            blank = next((number for number, line in enumerate(inner) if not line.strip()), len(inner))
            first = fence.body_line - 1
            lines[first + blank : first + len(inner)] = inner[blank:]

    def _read_front(self, whole: str) -> None:
        """Take the front matter off ``text``, and check it against its schema."""
        translated = self.language != ENGLISH
        if self.is_article:
            schema: type[Front] = ArticleTranslationFront if translated else ArticleFront
        else:
            schema = PageTranslationFront if translated else PageFront
        text, rest = split_front(whole)
        if text:
            self.text = "\n" * (whole.count("\n") - rest.count("\n")) + rest
        front = FrontMatter.read(text, schema, self.path)
        self.front, self.front_data, self.front_lines = front.parsed, front.data, front.lines
        self.errors += front.errors


@functools.lru_cache(maxsize=1024)
def _parsed(root: Path, file: Path, language: Language, changed: int, size: int) -> Page:
    return Page._parse(root, file, language)
