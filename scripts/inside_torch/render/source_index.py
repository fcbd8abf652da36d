"""The index of PyTorch's source: every pinned file, and which article explains which of its lines."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import SourcesFence
from inside_torch.book.mentions import Mention, mentions
from inside_torch.pins.release import permalink
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend, link


def draw(canvas: Canvas, block: SourcesFence) -> Element:
    """Every pinned file that an article speaks of, by folder; the page's script searches it."""
    files: dict[str, dict[tuple[int, int], list[Mention]]] = {}
    for mention in mentions(canvas.book, canvas.sources.pins()):
        ends = (mention.pin.first or 0, mention.pin.last or 0)
        files.setdefault(mention.pin.address.path, {}).setdefault(ends, []).append(mention)
    drawn = element("div", "it-sources")
    for path, ranges in sorted(files.items()):
        drawn.append(_file(canvas, path, ranges))
    return drawn


def _file(canvas: Canvas, path: str, ranges: dict[tuple[int, int], list[Mention]]) -> Element:
    """A file, folded: its ranges by line, each with the headings that speak of it."""
    folder, _, name = path.rpartition("/")
    generated = any(several[0].pin.generated for several in ranges.values())
    summary = element(
        "summary",
        "",
        element("span", "it-folder", f"{folder}/" if folder else ""),
        element("span", "it-file", name),
        element("small", "", f" {len(ranges)}"),
    )
    listed = element("ul")
    for (first, last), several in sorted(ranges.items()):
        lines = canvas.labels.range(first or None, last or None)
        where = (
            element("span", "", lines) if generated else link("", permalink(path, first or None, last), lines)
        )
        names = dict.fromkeys(each.pin.address.symbol for each in several if each.pin.address.symbol)
        item = element("li", "", where, data_first=str(first), data_last=str(last))
        for symbol in list(names)[:1]:
            extend(item, " ", element("code", "", symbol))
        # An article is named once, with the sections in which it speaks of these lines.
        pages: dict[str, list[Mention]] = {}
        for each in several:
            pages.setdefault(each.page, []).append(each)
        for page, here in pages.items():
            anchors = dict.fromkeys((each.anchor, each.title) for each in here)
            href = "../" * canvas.page.depth + f"{page}.md"
            told = element("span", "it-source-page", element("a", "", here[0].article, href=href))
            for anchor, title in anchors:
                extend(told, " · ", element("a", "", title.replace("`", ""), href=f"{href}#{anchor}"))
            item.append(told)
        listed.append(item)
    return element("details", "it-source", summary, listed, data_path=path)
