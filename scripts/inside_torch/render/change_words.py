"""What a release changed, in words, on the pages: beside an excerpt's head, on a release's page, in text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from xml.etree.ElementTree import Element

from inside_torch.releases.descriptions import Description, Descriptions, parts, touched
from inside_torch.releases.drift import Drift
from inside_torch.releases.stored import Stored
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend
from inside_torch.render.pin_index import Source

ENGLISH = "en"


def told(source: Source, described: Descriptions) -> Iterator[tuple[Stored, Drift, Description]]:
    """Each release that gave a pin another text than those before it, with the words about that."""
    for one in described.kept:
        drift = one.of(source.pin)
        if drift is None or drift.state == "unknown":
            return
        if touched(drift) and (found := described.of(one, drift.address)) and found[1] is one:
            yield one, drift, found[0]


def text(canvas: Canvas, change: Description) -> Element:
    """The words with their code, in the page's language where they were translated into it."""
    language = canvas.labels.language
    own = language == ENGLISH or language in change.translated
    said = element("span", "it-what", lang=None if own else ENGLISH)
    for part, code in parts(change.translated.get(language, change.what)):
        extend(said, element("code", "", part) if code else part)
    return said


def opened(
    canvas: Canvas, source: Source, summary: Element, href: Callable[[str, Drift], str | None]
) -> Element | None:
    """The summary and, when it is opened, what each release changed; None where nobody has said it.

    ``href`` makes the link to the entry of a pin on the page of a release.
    """
    known = list(told(source, canvas.sources.described()))
    if not known:
        return None
    folded = element("details", "it-drifted", summary)
    for one, drift, change in known:
        place = href(one.version, drift)
        name = element("a", "", one.version, href=place) if place else one.version
        extend(folded, element("p", "", name, ": ", text(canvas, change)))
    return folded


def plain(source: Source, described: Descriptions) -> list[str]:
    """The same as lines of Markdown."""
    known = told(source, described)
    return [f"{drift.state.capitalize()} in {one.version}: {change.what}" for one, drift, change in known]
