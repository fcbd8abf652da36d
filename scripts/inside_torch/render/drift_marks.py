"""Other releases on the pages: a word beside each pin, and one page a release."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import DriftFence
from inside_torch.errors import BookError, nearest
from inside_torch.pins.release import REPOSITORY, permalink
from inside_torch.releases.descriptions import Description, touched
from inside_torch.releases.drift import STATES, Drift
from inside_torch.releases.passages import Passage, passages
from inside_torch.releases.stored import Stored
from inside_torch.render import change_words, release_head
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend, link
from inside_torch.render.pin_index import Source


@dataclass(frozen=True)
class Word:
    """What the releases that were compared say of one pin: ``state``, and of which release, ``version``."""

    state: str  # same | changed | gone
    version: str
    drift: Drift


def word(source: Source, stored: Iterable[Stored]) -> Word | None:
    """The first release that changed the pin or took it away, else the last through which it is the same.

    None where the first release that was compared has nothing to say of it.
    """
    same = None
    for one in stored:
        drift = one.of(source.pin)
        if drift is None or drift.state == "unknown":
            break
        if drift.state in ("changed", "gone"):
            return Word(drift.state, one.version, drift)
        same = Word("same", one.version, drift)
    return same


def mark(canvas: Canvas, source: Source) -> Element | None:
    """The word in the head of an excerpt.

    It opens to what changed where somebody has said it, else leads to the release's page, if there is one.
    """
    said = word(source, canvas.sources.stored())
    if said is None:
        return None
    labels = canvas.labels
    text = labels(f"drift-{said.state}", release=said.version)
    title = labels(f"drift-{said.state}-title", release=said.version)
    classes = f"it-badge it-badge--drift it-badge--{said.state}"

    def href(version: str, drift: Drift) -> str | None:
        page = Path("releases", f"{version}.md")
        top = canvas.page.top
        if top is None or not (top / page).is_file():
            return None
        anchor = f"#{_anchor(drift)}" if touched(drift) else ""
        return "../" * canvas.page.depth + f"{page}{anchor}"

    opened = change_words.opened(canvas, source, element("summary", classes, text), href)
    if opened is not None:
        return opened
    place = href(said.version, said.drift)
    return element("a" if place else "span", classes, text, title=title, href=place)


def draw(canvas: Canvas, block: DriftFence) -> Element:
    """The page of one release: how many pins it left, moved, changed, took; and each that it touched."""
    labels = canvas.labels
    with canvas.page.at(block.fence.body_line):
        kept = canvas.sources.stored()
        one = next((each for each in kept if each.version == block.subject), None)
        if one is None:
            versions = [each.version for each in kept]
            raise BookError(
                "drift-release",
                f"no comparison with {block.subject}",
                f"a file of docs/drift; `inside-torch drift {block.subject} --write` writes it",
                nearest(block.subject, versions) or ", ".join(versions),
            )
    pins = {str(pin.address): drift for pin in canvas.sources.pins() if (drift := one.of(pin))}
    missing = len(list(canvas.sources.pins())) - len(pins)
    told: set[str] = set()
    sections = [
        _page(canvas, one, page, several, told)
        for page, several in passages(canvas.book, pins.values()).items()
    ]
    # Only what has an entry below can be led to: a pin may have left the pages since the comparison.
    entries = {address: _anchor(drift) for address, drift in pins.items() if address in told}
    figure = element("div", "it-drift", *release_head.noticed(canvas, one, entries))
    extend(figure, *release_head.counted(canvas, one.version))
    extend(figure, _table(canvas, list(pins.values()), missing), *sections)
    again = element("code", "", f"inside-torch drift {one.version} --libraries")
    return extend(figure, element("p", "it-caption", labels("drift-again") + " ", again))


def _table(canvas: Canvas, drifts: list[Drift], missing: int) -> Element:
    """How many pins are in each state."""
    labels = canvas.labels
    rows = [(state, sum(drift.state == state for drift in drifts)) for state in STATES] + [
        ("missing", missing)
    ]
    written = [
        element(
            "tr",
            "",
            element("th", "", labels(f"state-{state}"), scope="row"),
            element("td", "it-value", str(count)),
            element("td", "", labels(f"state-{state}-is")),
        )
        for state, count in rows
        if count or state not in ("unknown", "missing")
    ]
    head = [element("th", "", labels(name), scope="col") for name in ("state", "pins", "meaning")]
    return element(
        "table",
        "",
        element("thead", "", element("tr", "", *head)),
        extend(element("tbody"), *written),
    )


def _page(
    canvas: Canvas,
    one: Stored,
    page: str,
    several: list[tuple[Drift, Passage]],
    told: set[str],
) -> Element:
    """What an article must be read again for: its touched pins, each with the sections that speak of it."""
    place = Path(*Path(page).parts[2:])
    href = "../" * canvas.page.depth + place.as_posix()
    drifts = {drift.address: drift for drift, _ in several}
    described = canvas.sources.described()
    listed = element("ul", "it-drift-pins")
    lists: dict[Description, Element] = {}  # the pins below each description
    for address, drift in drifts.items():
        headings = list(dict.fromkeys(spot.heading for each, spot in several if each.address == address))
        sections = element("span", "it-drift-where")
        for heading in headings:
            extend(
                sections, " ", element("a", "", f"#{heading}", href=f"{href}#{heading}" if heading else href)
            )
        # The first entry of a pin on the page is the one that its badges lead to.
        anchor = None if address in told else _anchor(drift)
        told.add(address)
        entry = _entry(canvas, one, drift, sections, anchor)
        found = described.of(one, address)
        if found is None:
            listed.append(entry)
            continue
        change, origin = found
        if change not in lists:
            since = f" {canvas.labels('drift-since', release=origin.version)}" if origin is not one else ""
            lists[change] = element("ul")
            listed.append(element("li", "", change_words.text(canvas, change), since, lists[change]))
        lists[change].append(entry)
    here = canvas.book.pages[Path(page)]
    used = {str(use.address) for use in here.uses}
    title = canvas.labels("drift-page", count=len(drifts), pins=len(used))
    head = element("p", "it-drift-page", element("a", "", here.title, href=href), f" {title}")
    return element("section", "", head, listed)


def _entry(canvas: Canvas, one: Stored, drift: Drift, sections: Element, anchor: str | None) -> Element:
    """One pin: where it was, where it is, how much of it is different."""
    labels, pin = canvas.labels, canvas.sources.look(drift.address).pin
    state = element("span", f"it-badge it-badge--{drift.state}", labels(f"state-{drift.state}"))
    name = element("code", "", drift.address.removeprefix("src:"))
    before = permalink(pin.address.path, pin.first, pin.last)
    item = element("li", "", state, " ", name, id=anchor)
    where = element("span", "it-drift-lines", link("", before, labels.range(pin.first, pin.last)))
    if drift.state == "changed" and drift.first is not None:
        lines = f"#L{drift.first}" + (f"-L{drift.last}" if drift.last != drift.first else "")
        after = f"{REPOSITORY}/blob/{one.commit}/{pin.address.path}{lines}"
        extend(where, " → ", link("", after, labels.range(drift.first, drift.last)))
    if drift.added or drift.removed:
        extend(where, f" (+{drift.added} −{drift.removed})")
    if drift.unseen:
        extend(where, " ", labels("drift-unseen"))
    extend(item, " ", where, " ", sections)
    if drift.home:
        extend(item, " ", labels("drift-home") + " ", *_homes(one, drift))
    return item


def _homes(one: Stored, drift: Drift) -> list[Element | str]:
    """Links to where the pin may be now."""
    found: list[Element | str] = []
    for home in drift.home:
        path, _, line = home.partition(":")
        href = f"{REPOSITORY}/blob/{one.commit}/{path}" + (f"#L{line}" if line else "")
        found += [", " if found else "", link("", href, element("code", "", home))]
    return found


def _anchor(drift: Drift) -> str:
    """The id of a pin on a release's page."""
    return f"pin-{hashlib.sha256(drift.address.encode()).hexdigest()[:10]}"
