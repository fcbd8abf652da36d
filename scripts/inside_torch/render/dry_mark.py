"""The mark of what ran on the dry GPU: a sentence that leads to what may be concluded from it."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element

#: The page, from the documents' folder of each language on, and the section of it.
PAGE = "contributing/dry-gpu.md"
SECTION = "conclusions"


def _place(canvas: Canvas) -> str | None:
    """The section as seen from this page; None in a book without it. Each language has the page."""
    there = (canvas.root / "docs" / "en" / PAGE).is_file()
    return f"{'../' * canvas.page.depth}{PAGE}#{SECTION}" if there else None


def mark(canvas: Canvas) -> Element:
    """The sentence, in the tree of a page."""
    href = _place(canvas)
    return element("span" if href is None else "a", "", canvas.labels("dry"), href=href)


def finished(canvas: Canvas) -> str:
    """The sentence as finished HTML, where MkDocs has seen to the page's links already."""
    href, said = _place(canvas), canvas.labels("dry")
    if href is None:
        return said
    links = canvas.md.treeprocessors
    if "relpath" in links and (seen_to := getattr(links["relpath"], "path_to_url", None)):
        href = seen_to(href)  # where a page is only checked, nothing sees to its links
    return f'<a href="{href}">{said}</a>'


def markdown(canvas: Canvas) -> str:
    """The sentence in the plain copy of a page."""
    href, said = _place(canvas), canvas.labels("dry")
    return f"[{said}]({href})" if href else said
