"""How each fence of the book is drawn: on the site, and in a page's plain copy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import on_dry, read
from inside_torch.book.fences import Fence
from inside_torch.render import (
    diagrams,
    drift_marks,
    dry_mark,
    excerpts,
    glossary_page,
    measurements,
    paths,
    plain_text,
    program_figures,
    proof_page,
    route_page,
    source_index,
)
from inside_torch.render.canvas import Canvas
from inside_torch.render.plain_lists import listed


@dataclass(frozen=True)
class Drawer:
    """The two forms of a fence; each takes the canvas and what the fence says."""

    html: Callable[[Canvas, Any], Element]
    markdown: Callable[[Canvas, Any], str]


def _list(html: Callable[[Canvas, Any], Element]) -> Drawer:
    """A list that the machine makes: its Markdown is read from what the site draws."""
    return Drawer(html, lambda canvas, block: listed(html(canvas, block)))


DRAWERS: dict[str, Drawer] = {
    "mermaid": Drawer(diagrams.draw, plain_text.diagram),
    "excerpt": Drawer(excerpts.draw, plain_text.excerpt),
    "program": Drawer(program_figures.draw_program, plain_text.program),
    "output": Drawer(program_figures.draw_output, plain_text.output),
    "exercise": Drawer(program_figures.draw_exercise, plain_text.exercise),
    "path": Drawer(paths.draw, plain_text.path),
    "measurements": Drawer(measurements.draw, plain_text.measurements),
    "drift": Drawer(drift_marks.draw, plain_text.drift),
    "route": _list(route_page.draw),
    "sources": _list(source_index.draw),
    "proof": _list(proof_page.draw),
    "glossary": _list(glossary_page.draw),
}


def draw(canvas: Canvas, fence: Fence) -> Element:
    """One of the fences of :data:`DRAWERS` as the site shows it; errors have its place on the page."""
    with canvas.page.at(fence.line):
        return DRAWERS[fence.language].html(canvas, read(fence))


def write(canvas: Canvas, fence: Fence) -> str:
    """What any fence shows, as Markdown; each line has the indentation that the fence has."""
    if fence.language in DRAWERS:
        told = DRAWERS[fence.language].markdown(canvas, read(fence))
    else:
        told = plain_text.fenced(fence.language, fence.body)
        if on_dry(fence):
            told += f"\n\n{dry_mark.markdown(canvas)}"
    return "\n".join(f"{fence.indent}{line}".rstrip() for line in told.split("\n"))
