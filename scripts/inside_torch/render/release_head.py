"""How the page of a release begins: what a user notices, and the claims that are counted otherwise there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from xml.etree.ElementTree import Element

from inside_torch.book.claims import Other
from inside_torch.pins.release import RELEASE
from inside_torch.releases.recounted import Recounted, recounted
from inside_torch.releases.stored import Stored
from inside_torch.render import change_words
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend

#: How many names are listed before the rest is a number.
NAMED = 12


def noticed(canvas: Canvas, one: Stored, entries: Mapping[str, str]) -> Iterator[Element]:
    """The words about a release that are marked as notable, each with links to its pins below: ``entries``
    has the anchor of each, by address.
    """
    words = canvas.sources.described().words.get(one.version)
    items = []
    for change in words.changes if words else ():
        if change.notable:
            # One link a name: an entry may have several lines of one function.
            names = {
                address.partition("#")[0].rpartition("::")[2]: address for address in reversed(change.pins)
            }
            item = element("li", "")
            for name, address in reversed(names.items()):
                code = element("code", "", name)
                linked = element("a", "", code, href=f"#{entries[address]}") if address in entries else code
                extend(item, ", " if len(item) else None, linked)
            items.append(extend(item, ": ", change_words.text(canvas, change)))
    if items:
        yield element("h2", "", canvas.labels("drift-noticed"), id="noticed")
        yield element("ul", "it-drift-noticed", *items)


def counted(canvas: Canvas, version: str) -> Iterator[Element]:
    """The claims that were counted on a release: those that differ, how many do not, how many were not."""
    labels, claims = canvas.labels, list(recounted(canvas.root, version))
    known = [one for one in claims if one.theirs]
    if not known:
        return
    yield element("h2", "", labels("drift-counted"), id="counted")
    differing = [one for one in known if one.differs]
    if differing:
        yield element("ul", "it-drift-counted", *(_claim(canvas, one) for one in differing))
    rest = {"drift-counted-same": len(known) - len(differing), "drift-uncounted": len(claims) - len(known)}
    for label, count in rest.items():
        if count:
            yield element("p", "", labels(label, count=count))


def _claim(canvas: Canvas, one: Recounted) -> Element:
    """A claim whose members or exceptions are others on a release."""
    labels, theirs = canvas.labels, one.theirs
    assert isinstance(theirs, Other)
    numbers = labels(
        "drift-counted-here",
        build=theirs.build,
        holds=f"{theirs.holds:,}",
        count=f"{theirs.count:,}",
        release=RELEASE,
        then_holds=f"{one.ours.holds:,}",
        then_count=f"{one.ours.count:,}",
    )
    href = f"{'../' * canvas.page.depth}{one.claim.article}.md#{one.claim.anchor}"
    sentence = element("a", "", one.claim.sentence.replace("`", ""), href=href, lang="en")
    changes = {
        "drift-came": theirs.came,
        "drift-went": theirs.went,
        "drift-excepted": one.excepted,
        "drift-held": one.held,
    }
    lines = [_named(canvas, label, names) for label, names in changes.items() if names]
    return element("li", "", sentence, " ", numbers, *lines)


def _named(canvas: Canvas, label: str, names: Iterable[str]) -> Element:
    """A sentence with names in code type, the first of them where they are many."""
    labels, shown = canvas.labels, list(names)
    before, _, after = labels(label, names="\0").partition("\0")
    line = element("div", "", before)
    for place, name in enumerate(shown[:NAMED]):
        extend(line, labels("claim-comma") if place else None, element("code", "", name))
    more = len(shown) - NAMED
    return extend(line, labels("claim-more", count=more) if more > 0 else None, after)
