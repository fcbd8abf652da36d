"""Links to ``src:`` addresses become links to the lines on GitHub, and say what proves them."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from markdown.inlinepatterns import LinkInlineProcessor

from inside_torch.book.link_grammar import TARGET, target
from inside_torch.errors import BookError
from inside_torch.render.canvas import Canvas, CanvasProcessor
from inside_torch.render.labels import Labels
from inside_torch.render.pin_index import Source

_SCRIPT = re.compile(r"\s*(?:javascript|vbscript|data):", re.IGNORECASE)


class SourceLink(LinkInlineProcessor):
    """``[text](src:…)`` and ``[text](<src:…>)``; the title of a link gives way to what proves the address."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(r"\[(?=[^\]])", canvas.md)

    def getLink(self, data: str, index: int) -> tuple[str, str | None, int, bool]:
        found = TARGET.match(data, index)
        if found is None or not (address := target(found)).startswith("src:"):
            return "", None, index, False
        return self.unescape(address), None, found.end(), True


class Links(CanvasProcessor):
    """Resolves what has become a link to an address, wherever it came from."""

    def run(self, root: Element) -> None:
        page = self.canvas.page
        for anchor in root.iter("a"):
            href = anchor.get("href", "")
            if href.startswith("src:"):
                with page.at(text=href):
                    decorate(anchor, self.canvas.sources.look(href), self.canvas.labels)
            elif _SCRIPT.match(href):
                with page.at(text=href):
                    raise BookError(
                        "link-scheme", f"a link to {href[:60]}", "a page, an anchor or an https address"
                    )


class Attributes(CanvasProcessor):
    """Refuses what an attribute list could make of an element: something that runs a script."""

    def run(self, root: Element) -> None:
        for element in root.iter():
            for name in element.attrib:
                if name.lower().startswith("on"):
                    with self.canvas.page.at(text=name):
                        raise BookError("attribute", f"the attribute {name}", "no attribute that is a script")


def decorate(anchor: Element, source: Source, labels: Labels) -> None:
    """Make an ``a`` the link to a pinned place, or a ``span`` where a generated file has none."""
    anchor.attrib.pop("href", None)
    title = source.title(labels)
    anchor.set("class", " ".join(filter(None, [anchor.get("class"), "pin"])))
    anchor.set("title", title)
    anchor.set("data-evidence", source.evidence)
    if source.pin.permalink is None:
        anchor.tag = "span"
        anchor.set("class", f"{anchor.get('class')} generated")
        return
    anchor.set("href", source.pin.permalink)
    anchor.set("target", "_blank")
    anchor.set("rel", "noopener")
