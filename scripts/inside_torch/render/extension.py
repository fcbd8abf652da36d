"""The extension: fences are found before Markdown reads the page and drawn into its tree."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

from inside_torch.book.article import Book
from inside_torch.book.fences import GRAMMARS, Fence, FenceBody, parse_body, scan
from inside_torch.errors import BookError
from inside_torch.render import (
    claims,
    diagrams,
    drift,
    excerpts,
    glossary,
    links,
    measurements,
    paths,
    programs,
    proof_page,
    routes,
    source_index,
)
from inside_torch.render.elements import element, stashed
from inside_torch.render.labels import Labels
from inside_torch.render.page import DrawnPage
from inside_torch.render.pin_index import PinIndex

Draw = Callable[["InsideTorch", Fence, FenceBody], Element]

DRAW: dict[str, Draw] = {
    "excerpt": excerpts.draw,
    "program": programs.draw_program,
    "output": programs.draw_output,
    "exercise": programs.draw_exercise,
    "path": paths.draw,
    "measurements": measurements.draw,
    "drift": drift.draw,
    "route": routes.draw,
    "sources": source_index.draw,
    "proof": proof_page.draw,
    "glossary": glossary.draw,
}


class InsideTorch(Extension):
    """Draws the fences of the article format, ``src:`` links and measured numbers.

    While a page is converted, ``page`` says which it is and ``md`` is the converter.
    """

    def __init__(self, **options: object) -> None:
        self.config = {
            "root": ["", "The repository's root; found by walking up to pins.lock when empty"],
            "language": ["en", "The language of the labels: en or zh"],
            "repository": ["", "The book's repository, where a program's header leads; empty for no link"],
            "notice": ["notice.md", "The page of PyTorch's licence, from the documents' folder on"],
        }
        super().__init__(**options)
        self.page = DrawnPage()

    def extendMarkdown(self, md: Markdown) -> None:
        self.md = md
        self.labels = Labels(self.getConfig("language"))
        self.root = find_root(self.getConfig("root"))
        self.sources = PinIndex(self.root)
        self.found: dict[int, Fence] = {}
        md.registerExtension(self)
        # Just before pymdownx.superfences (25), whose fences are those that are left.
        md.preprocessors.register(Fences(self), "inside_torch_fences", 26)
        # Before inline Markdown (20), so that notes are read like the page's own text.
        md.treeprocessors.register(Draws(self), "inside_torch_draw", 25)
        # After inline Markdown and before MkDocs looks at relative links (0).
        md.treeprocessors.register(links.Links(self), "inside_torch_links", 15)
        md.treeprocessors.register(claims.Claims(self), "inside_torch_claims", 16)
        # Once the prose is read (20), links are resolved (15) and before it is made pretty (10).
        md.treeprocessors.register(glossary.FirstUses(self), "inside_torch_terms", 12)
        # After attr_list (8), which gives an element any attribute that its author writes.
        md.treeprocessors.register(links.Attributes(self), "inside_torch_attributes", 5)
        # A little before Markdown's own link (160), whose addresses may hold no < or blank.
        md.inlinePatterns.register(links.SourceLink(self), "inside_torch_source_link", 161)
        md.inlinePatterns.register(claims.Claimed(self), "inside_torch_claim_value", 186)
        md.inlinePatterns.register(measurements.Measured(self), "inside_torch_measured", 185)
        md.postprocessors.register(Printed(md), "inside_torch_printed", 15)

    def reset(self) -> None:
        """Forget the page before."""
        self.found.clear()
        self.page = DrawnPage()

    @property
    def book(self) -> Book:
        """The whole book; a page of it is parsed again only when it has changed."""
        return Book.load(self.root)

    @property
    def notice(self) -> str | None:
        """The notice page as seen from this page; None where there is none."""
        notice, top = self.getConfig("notice"), self.page.top
        return "../" * self.page.depth + notice if top and (top / notice).is_file() else None

    def file_link(self, file: Path) -> str | None:
        """Where a file of the repository can be read on the web; None where no repository is named."""
        repository = self.getConfig("repository").rstrip("/")
        return f"{repository}/blob/main/{file.relative_to(self.root).as_posix()}" if repository else None

    def stash(self, html: str) -> str:
        return stashed(self.md, html)


def find_root(given: str) -> Path:
    """The repository's root: as given, or the nearest folder above that holds ``pins.lock``."""
    if given:
        return Path(given).resolve()
    here = Path.cwd().resolve()
    for folder in (here, *here.parents, *Path(__file__).resolve().parents):
        if (folder / "pins.lock").is_file():
            return folder
    raise BookError("render-root", f"no pins.lock in {here} or above it", "the option `root`")


class Fences(Preprocessor):
    """Takes the book's own fences off the page and leaves a mark of each."""

    def __init__(self, extension: InsideTorch) -> None:
        super().__init__(extension.md)
        self.extension = extension

    def run(self, lines: list[str]) -> list[str]:
        page = self.extension.page = DrawnPage.of(self.md, list(lines))
        with page.at():
            fences = [f for f in scan("\n".join(lines)) if f.language in GRAMMARS or f.language == "mermaid"]
        for fence in fences:
            mark = self.md.htmlStash.store("")
            self.extension.found[self.md.htmlStash.html_counter - 1] = fence
            blank = fence.indent.rstrip()
            height = fence.last_line - fence.line + 1
            # Blank lines make it a block of its own and keep the page's line numbers.
            lines[fence.line - 1 : fence.last_line] = [blank, fence.indent + mark, *[blank] * (height - 2)]
        return lines


class Draws(Treeprocessor):
    """Puts the drawing of each fence in the place of its mark."""

    def __init__(self, extension: InsideTorch) -> None:
        super().__init__(extension.md)
        self.extension = extension

    def run(self, root: Element) -> None:
        for holder in list(root.iter()):
            mark = HTML_PLACEHOLDER_RE.fullmatch((holder.text or "").strip()) if holder.text else None
            fence = self.extension.found.get(int(mark[1])) if mark else None
            if fence is None:
                continue
            drawn = self._draw(fence)
            holder.text = None
            if holder.tag == "p":
                holder.tag = drawn.tag
                holder.attrib.update(drawn.attrib)
                holder.text = drawn.text
                holder.extend(list(drawn))
            else:
                holder.insert(0, drawn)

    def _draw(self, fence: Fence) -> Element:
        with self.extension.page.at(fence.line):
            if fence.language == "mermaid":
                return diagrams.draw(self.extension, fence)
            return DRAW[fence.language](self.extension, fence, parse_body(fence))


class Printed(Postprocessor):
    """Tells what a probe prints (``#>`` lines) from its code."""

    _MARK = re.compile(r'<span class="c1">(?=#&gt;)')

    def run(self, text: str) -> str:
        return self._MARK.sub('<span class="c1 it-printed">', text)


def makeExtension(**options: object) -> InsideTorch:
    """The extension, as Python-Markdown asks for it."""
    return InsideTorch(**options)


__all__ = ["InsideTorch", "element", "makeExtension"]
