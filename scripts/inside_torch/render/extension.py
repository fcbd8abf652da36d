"""The extension: fences are found before Markdown reads the page and drawn into its tree."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from markdown.util import HTML_PLACEHOLDER_RE

from inside_torch.book.fence_kinds import on_dry
from inside_torch.book.fences import Fence, scan
from inside_torch.errors import BookError
from inside_torch.render import claim_marks, dry_mark, glossary_page, measurements, pin_links
from inside_torch.render.canvas import Canvas
from inside_torch.render.drawers import DRAWERS, draw
from inside_torch.render.drawn_page import DrawnPage
from inside_torch.render.labels import Labels

#: The class of a probe that ran on the dry GPU.
DRY = "it-dry"


class InsideTorch(Extension):
    """Draws the fences of the article format, ``src:`` links and measured numbers.

    While a page is converted, the page of its ``canvas`` says which it is.
    """

    def __init__(self, **options: object) -> None:
        self.config = {
            "root": ["", "The repository's root; found by walking up to pins.lock when empty"],
            "language": ["en", "The language of the labels: en or zh"],
            "repository": ["", "The book's repository, where a program's header leads; empty for no link"],
            "notice": ["notice.md", "The page of PyTorch's licence, from the documents' folder on"],
        }
        super().__init__(**options)

    def extendMarkdown(self, md: Markdown) -> None:
        root, labels = find_root(self.getConfig("root")), Labels(self.getConfig("language"))
        repository, notice = self.getConfig("repository"), self.getConfig("notice")
        self.canvas = canvas = Canvas(root, labels, md, repository=repository, notice_page=notice)
        self.found: dict[int, Fence] = {}
        md.registerExtension(self)
        # Just before pymdownx.superfences (25), whose fences are those that are left.
        md.preprocessors.register(Fences(canvas, self.found), "inside_torch_fences", 26)
        # Before inline Markdown (20), so that notes are read like the page's own text.
        md.treeprocessors.register(Draws(canvas, self.found), "inside_torch_draw", 25)
        # After inline Markdown and before MkDocs looks at relative links (0).
        md.treeprocessors.register(pin_links.Links(canvas), "inside_torch_links", 15)
        md.treeprocessors.register(claim_marks.Claims(canvas), "inside_torch_claims", 16)
        # Once the prose is read (20), links are resolved (15) and before it is made pretty (10).
        md.treeprocessors.register(glossary_page.FirstUses(canvas), "inside_torch_terms", 12)
        # After attr_list (8), which gives an element any attribute that its author writes.
        md.treeprocessors.register(pin_links.Attributes(canvas), "inside_torch_attributes", 5)
        # A little before Markdown's own link (160), whose addresses may hold no < or blank.
        md.inlinePatterns.register(pin_links.SourceLink(canvas), "inside_torch_source_link", 161)
        md.inlinePatterns.register(claim_marks.Claimed(canvas), "inside_torch_claim_value", 186)
        md.inlinePatterns.register(measurements.Measured(canvas), "inside_torch_measured", 185)
        md.postprocessors.register(Printed(canvas), "inside_torch_printed", 15)

    def reset(self) -> None:
        """Forget the page before."""
        self.found.clear()
        self.canvas.page = DrawnPage()


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
    """Takes the fences that are drawn off the page and leaves a mark of each."""

    def __init__(self, canvas: Canvas, found: dict[int, Fence]) -> None:
        super().__init__(canvas.md)
        self.canvas, self.found = canvas, found

    def run(self, lines: list[str]) -> list[str]:
        page = self.canvas.page = DrawnPage.of(self.md, list(lines))
        with page.at():
            fences = scan("\n".join(lines))
        for fence in fences:
            if on_dry(fence):
                # A class is what superfences keeps of the options beside the id.
                lines[fence.line - 1] = re.sub(r"\s*\}\s*$", f" .{DRY}}}", lines[fence.line - 1])
            if fence.language not in DRAWERS:
                continue
            mark = self.md.htmlStash.store("")
            self.found[self.md.htmlStash.html_counter - 1] = fence
            blank = fence.indent.rstrip()
            height = fence.last_line - fence.line + 1
            # Blank lines make it a block of its own and keep the page's line numbers.
            lines[fence.line - 1 : fence.last_line] = [blank, fence.indent + mark, *[blank] * (height - 2)]
        return lines


class Draws(Treeprocessor):
    """Puts the drawing of each fence in the place of its mark."""

    def __init__(self, canvas: Canvas, found: dict[int, Fence]) -> None:
        super().__init__(canvas.md)
        self.canvas, self.found = canvas, found

    def run(self, root: Element) -> None:
        for holder in list(root.iter()):
            mark = HTML_PLACEHOLDER_RE.fullmatch((holder.text or "").strip()) if holder.text else None
            fence = self.found.get(int(mark[1])) if mark else None
            if fence is None:
                continue
            drawn = draw(self.canvas, fence)
            holder.text = None
            if holder.tag == "p":
                holder.tag = drawn.tag
                holder.attrib.update(drawn.attrib)
                holder.text = drawn.text
                holder.extend(list(drawn))
            else:
                holder.insert(0, drawn)


class Printed(Postprocessor):
    """Tells what a probe prints (``#>`` lines) from its code, and marks one that ran on the dry GPU."""

    _MARK = re.compile(r'<span class="c1">(?=#&gt;)')
    _DRY = re.compile(rf'<div[^>]* class="{DRY} highlight">.*?</div>', re.DOTALL)

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(canvas.md)
        self.canvas = canvas

    def run(self, text: str) -> str:
        text = self._MARK.sub('<span class="c1 it-printed">', text)

        def captioned(drawn: re.Match[str]) -> str:
            return f'{drawn[0]}<p class="it-caption">{dry_mark.finished(self.canvas)}</p>'

        return self._DRY.sub(captioned, text)


def makeExtension(**options: object) -> InsideTorch:
    """The extension, as Python-Markdown asks for it."""
    return InsideTorch(**options)
