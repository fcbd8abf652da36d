"""A page as plain Markdown with nothing left to look up: excerpts, outputs and numbers in their places."""

from __future__ import annotations

from pathlib import Path

from inside_torch.book.fences import scan
from inside_torch.book.front_matter import front_and_body
from inside_torch.render.canvas import Canvas
from inside_torch.render.claim_marks import Footnotes
from inside_torch.render.drawers import write
from inside_torch.render.drawn_page import DrawnPage
from inside_torch.render.labels import Labels
from inside_torch.render.plain_text import prose


def plain(root: Path, text: str, slug: str = "", language: str = "en") -> str:
    """The text of a page, front matter and all, as Markdown that any reader understands.

    Links to other pages lead to their plain copies, ``src:`` links to the lines at the pinned commit; the
    claims of the article ``slug`` are footnotes. ``slug`` is the page's path without its ending.
    """
    canvas = Canvas(root, Labels(language), page=DrawnPage(depth=slug.count("/")))
    notes = Footnotes(root, slug, canvas.labels)
    front, body = front_and_body(text)
    lines = body.split("\n")
    done: list[str] = []
    at = 0
    for fence in scan(body):
        done.append(prose(canvas.sources, "\n".join(lines[at : fence.line - 1]), notes))
        done.append(notes.marked(write(canvas, fence)))
        at = fence.last_line
    done.append(prose(canvas.sources, "\n".join(lines[at:]), notes))
    asked = f"> {front['question']}\n\n" if "question" in front else ""
    whole = "\n".join(done) + notes.text()
    head, _, rest = whole.lstrip("\n").partition("\n")
    if not head.startswith("# "):
        return whole
    return f"{head}\n\n{asked}{rest.strip()}\n"
