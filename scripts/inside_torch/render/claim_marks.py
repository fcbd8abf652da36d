"""Counted claims: the words that claim carry what was counted, and the end of the page how."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from xml.etree.ElementTree import Element

from markdown.inlinepatterns import InlineProcessor
from markdown.util import AtomicString

from inside_torch.book import claims
from inside_torch.book.claims import SCHEME, Claim, Count, Counts, value_of
from inside_torch.book.page import CLAIM_VALUE
from inside_torch.render import code, dry_mark
from inside_torch.render.canvas import Canvas, CanvasProcessor
from inside_torch.render.drawn_page import DrawnPage
from inside_torch.render.elements import element, extend
from inside_torch.render.labels import Labels

#: How many exceptions are named where there is little room.
NAMED = 4


def slug_of(page: DrawnPage) -> str:
    """The article that a page is, ``<module>/<article>``; empty where it is not known."""
    return f"{page.file.parent.name}/{page.file.stem}" if page.file else ""


def _found(root: Path, slug: str, target: str) -> tuple[Claim, Counts]:
    """The claim that a link on a page leads to, and what was counted of its article."""
    claim = claims.find(root, slug, target)
    return claim, Counts.load(Counts.file(root, claim.article))


def told(labels: Labels, counts: Counts, count: Count, name: Callable[[str], str] = str) -> str:
    """``counted on torch 2.13.0: 2,118 of 2,120; not linear, matmul``."""
    text = labels("claim-counted", release=counts.release, holds=f"{count.holds:,}", count=f"{count.count:,}")
    if not count.exceptions:
        return text
    shown = labels("claim-comma").join(name(one) for one in count.exceptions[:NAMED])
    more = len(count.exceptions) - NAMED
    return text + labels("claim-not", names=shown) + (labels("claim-more", count=more) if more > 0 else "")


class Claims(CanvasProcessor):
    """Marks the words of each claim, and draws the section of those that the page makes."""

    def run(self, root: Element) -> None:
        page = self.canvas.page
        made: dict[str, tuple[Claim, Counts]] = {}
        for anchor in list(root.iter("a")):
            target = anchor.get("href", "")
            if not target.startswith(SCHEME):
                continue
            with page.at(text=target):
                claim, counts = _found(self.canvas.root, slug_of(page), target)
                made.setdefault(claim.name, (claim, counts))
                self._mark(anchor, list(made).index(claim.name) + 1, *made[claim.name])
        if made:
            root.append(self._heading())
            root.append(element("p", "it-claims-lead", self.canvas.labels("claim-lead")))
            for number, (claim, counts) in enumerate(made.values(), start=1):
                root.append(self._counted(number, claim, counts))

    def _heading(self) -> Element:
        return element("h2", "it-claims", self.canvas.labels("claim-section"), id="counted-claims")

    def _mark(self, anchor: Element, number: int, claim: Claim, counts: Counts) -> None:
        """The words become a link to how they were counted; a style sheet shows ``data-count``."""
        count = claims.count_of(claim, counts)
        words = element("span", "it-claim-words", data_number=str(number))
        words.text, anchor.text = anchor.text, None
        for child in list(anchor):
            anchor.remove(child)
            words.append(child)
        anchor.append(words)
        anchor.attrib = {
            "class": "it-claim",
            "href": f"#{claim.anchor}",
            "data-count": told(self.canvas.labels, counts, count),
            "aria-describedby": f"{claim.anchor}-count",
        }

    def _counted(self, number: int, claim: Claim, counts: Counts) -> Element:
        """One claim: its sentence and count, and folded below them what it is that was run."""
        labels, count = self.canvas.labels, claims.count_of(claim, counts)
        head = element(
            "summary",
            "",
            element("span", "it-claim-number", f"{number}."),
            " ",
            extend(element("span", "it-claim-sentence", lang="en"), *_coded(claim.sentence)),
            " ",
            element("span", "it-claim-count", f"{count.holds:,} / {count.count:,}", aria_hidden="true"),
        )
        text = labels(
            "claim-counted", release=counts.release, holds=f"{count.holds:,}", count=f"{count.count:,}"
        )
        first = element("p", "", f"{text[:1].upper()}{text[1:]}. ", id=claim.anchor)
        extend(first, element("span", "", labels("claim-planted")))
        if claim.build == "dry":
            extend(first, " ", dry_mark.mark(self.canvas))
        parts: list[Element | str] = [first]
        if count.exceptions:
            names = element("p", "it-claim-exceptions", labels("claim-exceptions"), " ")
            for place, name in enumerate(count.exceptions):
                extend(names, labels("claim-comma") if place else None, element("code", "", name))
            extend(names, "." if labels.language == "en" else "。")
            if claim.exceptions:
                extend(names, " ", extend(element("span", "", lang="en"), *_coded(claim.exceptions)))
            parts.append(names)
        for other in counts.others.get(claim.id, ()):
            text = labels(
                "claim-other", release=other.release, holds=f"{other.holds:,}", count=f"{other.count:,}"
            )
            parts.append(element("p", "it-claim-other", text))
        listing = element("div", "highlight")
        # Part by part: what several claims use is coloured once.
        coloured = "\n\n".join(code.coloured(part, "python").rstrip("\n") for part in claim.parts)
        listing.text = self.canvas.stash(f"<pre><code>{coloured}\n</code></pre>")
        again = element(
            "p",
            "it-claim-again",
            labels("claim-again"),
            " ",
            element("code", "", f"inside-torch count {claim.article}#{claim.id} --check"),
        )
        described = element(
            "span", "it-claim-described", told(labels, counts, count), id=f"{claim.anchor}-count"
        )
        folded = element("details", "it-counted", head, *parts, listing, again)
        return element("div", "it-counted-claim", folded, described)


def _coded(text: str) -> list[Element | str]:
    """A sentence, whose code is written in backticks as in Markdown."""
    return [element("code", "", part) if at % 2 else part for at, part in enumerate(text.split("`"))]


class Claimed(InlineProcessor):
    """``{{ claim:formula-has-wrapper.count }}`` in the prose: a number, or the names that fail."""

    def __init__(self, canvas: Canvas) -> None:
        super().__init__(CLAIM_VALUE, canvas.md)
        self.canvas = canvas

    def handleMatch(  # type: ignore[override]  # as its base class does
        self, m: re.Match[str], data: str
    ) -> tuple[Element, int, int]:
        root, page, labels = self.canvas.root, self.canvas.page, self.canvas.labels
        with page.at(text=m[0]):
            claim, counts = _found(root, slug_of(page), m[1])
            value = value_of(claim, counts, m[2])
        made = element("span", "it-measured", title=told(labels, counts, claims.count_of(claim, counts)))
        if isinstance(value, int):
            made.text = AtomicString(f"{value:,}")
        else:
            for place, name in enumerate(value):
                extend(made, labels("claim-comma") if place else None, element("code", "", name))
        return made, m.start(0), m.end(0)


class Footnotes:
    """The claims of a page's plain copy: marks in the text, and what they mean at its end."""

    def __init__(self, root: Path, slug: str, labels: Labels) -> None:
        self.root, self.slug, self.labels = root, slug, labels
        self.notes: dict[str, str] = {}

    def marked(self, text: str) -> str:
        """Prose whose links to claims are words with a footnote, and whose counted values are numbers."""

        def link(match: re.Match[str]) -> str:
            claim, counts = _found(self.root, self.slug, match["target"])
            said = told(self.labels, counts, claims.count_of(claim, counts), lambda name: f"`{name}`")
            again = f"`inside-torch count {claim.article}#{claim.id} --check`"
            self.notes[claim.anchor] = (
                f"[^{claim.anchor}]: {claim.sentence} {said[:1].upper()}{said[1:]}. {again}"
            )
            return f"{match['words']}[^{claim.anchor}]"

        def value(match: re.Match[str]) -> str:
            claim, counts = _found(self.root, self.slug, match[1])
            found = value_of(claim, counts, match[2])
            return f"{found:,}" if isinstance(found, int) else ", ".join(f"`{name}`" for name in found)

        return re.sub(CLAIM_VALUE, value, _LINK.sub(link, text))

    def text(self) -> str:
        """The notes, at the end of a page."""
        return "\n".join(["", *self.notes.values(), ""]) if self.notes else ""


_LINK = re.compile(r"\[(?P<words>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<target>claim:[\w/-]+)\)")
