"""Every use of an address in the book's raw files: links, excerpts, diagram clicks, trace files."""

from __future__ import annotations

import functools
import html
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml as pyyaml

from inside_torch import yaml_file
from inside_torch.errors import BookError, nearest
from inside_torch.pins.address import Address

_FENCE = re.compile(r"(?P<indent>\s*)(?P<ticks>`{3,}|~{3,})\s*(?P<word>[\w-]*)")
_CODE_SPAN = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")
# Its end is a `>)` with no bracket open before it, as in `<src:a.h::f(vector<int>)>`; else the first one.
_BRACKETED = re.compile(r"\]\(\s*<(src:(?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*?|src:.*?)>\s*\)")
_BARE = re.compile(r"\]\(\s*(src:)")
_REFERENCE = re.compile(r"^\s{0,3}\[[^\]]+\]:\s*(?:<(src:.*?)>\s*$|(src:\S+))")
_ATTRIBUTE = re.compile(r"""\bhref=(["'])(src:.*?)\1""")
_CLICK = re.compile(r'^\s*click\s+\S+\s+(?:href\s+)?"(src:[^"]*)"')
_LINK = re.compile(r"^\s*link\s+[^:]+:\s*[^@]*@\s*(src:.+?)\s*$")
# What may hold indented content that is no code: a list item, an admonition, a tab, a footnote.
_CONTAINER = re.compile(r"\s*(?:[-*+]\s|\d+[.)]\s|!!!|\?\?\?|===|\[\^[^\]]+\]:)")

#: Fences whose text is Markdown of the article after their first lines.
_ANNOTATED = ("excerpt", "program", "path", "output", "measurements", "exercise")


@dataclass(frozen=True)
class Use:
    """An address as it is written, and where: ``file`` and ``line`` (1-based)."""

    written: str
    file: Path
    line: int

    @property
    def address(self) -> Address:
        """Raises :class:`BookError`, with the place, where it is none."""
        try:
            return Address.parse(self.written)
        except BookError as error:
            raise error.at(self.file, self.line) from None


def in_markdown(text: str) -> Iterator[tuple[str, int]]:
    """(address as written, line) of every use in a Markdown file."""
    fence: tuple[str, str, bool] | None = None  # ticks, word, read it?
    opener = ""  # the last line that is not indented
    blank_before = True
    for number, line in enumerate(text.split("\n"), start=1):
        stripped = line.strip()
        match = _FENCE.match(line)
        if fence is not None:
            ticks, word, read = fence
            if match and match["ticks"].startswith(ticks) and stripped == match["ticks"]:
                fence = None
            elif read:
                for written in _in_fence(line, word):
                    yield written, number
            continue
        code = len(line) - len(line.lstrip()) >= 4 and not _CONTAINER.match(opener)
        if match:
            fence = (match["ticks"], match["word"], not code)
        elif stripped and not (code and blank_before):
            for written in _in_prose(line):
                yield written, number
        if stripped and not line.startswith((" ", "\t")):
            opener = line
        blank_before = not stripped or (blank_before and code)


def _in_fence(line: str, word: str) -> Iterator[str]:
    if word == "mermaid":
        for form in (_CLICK, _LINK):
            if found := form.match(line):
                yield found[1]
    elif word in _ANNOTATED:
        if word == "excerpt" and line.strip().startswith("src:"):
            yield line.strip()
        else:
            yield from _in_prose(line)


def _in_prose(line: str) -> Iterator[str]:
    line = _CODE_SPAN.sub(lambda span: "`" * len(span[0]), line)
    found = {match.start(): match[1] for match in _BRACKETED.finditer(line)}
    found |= {match.start(): _balanced(line, match.start(1)) for match in _BARE.finditer(line)}
    found |= {match.start(): html.unescape(match[2]) for match in _ATTRIBUTE.finditer(line)}
    if reference := _REFERENCE.match(line):
        found[0] = reference[1] or reference[2]
    for place in sorted(found):
        yield found[place]


def _balanced(line: str, start: int) -> str:
    """The link's target from ``start``: up to a blank or to the bracket that closes the link."""
    depth = 0
    for place in range(start, len(line)):
        depth += (line[place] == "(") - (line[place] == ")")
        if depth < 0 or line[place].isspace():
            return line[start:place]
    return line[start:]


def in_yaml(text: str) -> Iterator[tuple[str, int]]:
    """(address as written, line) of every value of a YAML file that is an address."""

    def walk(node: pyyaml.Node | None) -> Iterator[tuple[str, int]]:
        if isinstance(node, pyyaml.ScalarNode) and node.value.startswith("src:"):
            yield node.value, node.start_mark.line + 1
        elif isinstance(node, pyyaml.SequenceNode):
            for item in node.value:
                yield from walk(item)
        elif isinstance(node, pyyaml.MappingNode):
            for _, value in node.value:
                yield from walk(value)

    yield from walk(yaml_file.node(text))


def files(root: Path) -> list[Path]:
    """The book's files that may use addresses; the contributors' pages only speak of them."""
    pages = [page for page in sorted((root / "docs").rglob("*.md")) if "contributing" not in page.parts]
    return [*pages, *sorted((root / "snippets").rglob("*.yml"))]


@functools.cache
def _in_file(file: Path, changed: int, size: int) -> tuple[tuple[str, int], ...]:
    """The uses in a file; kept while it is as it was, for one build asks for them several times."""
    text = file.read_text(encoding="utf-8")
    return tuple(in_markdown(text) if file.suffix == ".md" else in_yaml(text))


def collect(root: Path) -> list[Use]:
    """Every use of an address, by file and line; raises :class:`BookError` for a file that cannot be read."""
    uses = []
    for file in files(root):
        place = file.relative_to(root)
        with yaml_file.reading("yaml-form" if file.suffix == ".yml" else "page-encoding", place):
            status = file.stat()
            found = _in_file(file, status.st_mtime_ns, status.st_size)
        uses += [Use(written, place, line) for written, line in found]
    return uses


def of_pages(uses: list[Use], root: Path, pages: list[Path]) -> list[Use]:
    """The uses of these pages (files) and of the trace files of their programs.

    Raises :class:`BookError` for a file that is no page of the book.
    """
    known = {file.resolve(): file.relative_to(root) for file in files(root)}
    found = []
    for page in pages:
        if page.resolve() not in known:
            raise BookError(
                "page-unknown",
                f"{page} is no page of the book",
                "a file below docs/",
                nearest(str(page).removeprefix(f"{root}/"), [str(file) for file in known.values()]),
            )
        place = known[page.resolve()]
        article = place.with_suffix("").parts[2:]  # docs/<language>/<module>/<article>.md
        traces = Path("snippets", *article)
        found += [use for use in uses if use.file == place or (article and traces in use.file.parents)]
    return found


def places(uses: list[Use]) -> tuple[dict[str, list[tuple[Path, int]]], list[BookError]]:
    """Canonical address to where it is used, and an error for each use that is no address."""
    found: dict[str, list[tuple[Path, int]]] = {}
    wrong = []
    for use in uses:
        try:
            found.setdefault(str(use.address), []).append((use.file, use.line))
        except BookError as error:
            wrong.append(error)
    return dict(sorted(found.items())), wrong
