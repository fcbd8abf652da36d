"""Small elements: trees for what holds the author's Markdown, stashed text for source code."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.util import AtomicString

Child = "Element | str | None"


def element(
    tag: str, classes: str = "", *children: Element | str | None, **attributes: str | None
) -> Element:
    """An element; strings become text that no Markdown is read in and that is escaped when written.

    An attribute's trailing underscore is dropped and the others become hyphens; None leaves it out.
    """
    made = Element(tag)
    if classes:
        made.set("class", classes)
    for name, value in attributes.items():
        if value is not None:
            made.set(name.rstrip("_").replace("_", "-"), value)
    return extend(made, *children)


def extend(parent: Element, *children: Element | str | None) -> Element:
    """Append children in order; a string joins the text before it."""
    for child in children:
        if child is None or child == "":
            continue
        if isinstance(child, Element):
            parent.append(child)
        elif len(parent):
            parent[-1].tail = AtomicString((parent[-1].tail or "") + child)
        else:
            parent.text = AtomicString((parent.text or "") + child)
    return parent


def coded(parent: Element, text: str) -> Element:
    """Append a text of one line, whose code is written in backticks as in Markdown."""
    for number, part in enumerate(text.split("`")):
        extend(parent, element("code", "", part) if number % 2 else part)
    return parent


def stashed(md: Markdown, html: str) -> str:
    """A placeholder that finished HTML takes the place of once the page is written."""
    return md.htmlStash.store(html)


def link(classes: str, href: str, *children: Element | str | None, **attributes: str | None) -> Element:
    """A link to another site, opened beside the page."""
    return element("a", classes, *children, href=href, target="_blank", rel="noopener", **attributes)
