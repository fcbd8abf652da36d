"""Programs by sections, what they print, and exercises."""

from __future__ import annotations

import html
from pathlib import Path
from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import ExerciseFence, OutputFence, ProgramFence
from inside_torch.book.recording import EXERCISE, SNIPPETS, Output, Program
from inside_torch.book.regions import shown
from inside_torch.errors import BookError, nearest
from inside_torch.render import code, dry_mark, pictures
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, link


def draw_program(canvas: Canvas, block: ProgramFence) -> Element:
    """A file below ``snippets/``, or a section of it, with its notes."""
    with canvas.page.at(block.fence.body_line):
        file = find_file(canvas.root, block.subject)
    section = block.section
    with canvas.page.at(section.line if section else block.fence.body_line):
        numbered = shown(file, section.text if section else "")
    listed = code.listing(numbered, file.name)
    code.attach(listed, block.annotations)
    return element(
        "figure",
        "it-program",
        _header(canvas, file, numbered[0][0], numbered[-1][0]),
        code.draw(canvas.md, listed, canvas.labels),
        id=block.id or None,
    )


def draw_output(canvas: Canvas, block: OutputFence) -> Element:
    """What a program printed when it was last recorded."""
    with canvas.page.at(block.fence.body_line):
        program = Program.find(canvas.root, block.subject)
        printed = Output.load(program.output)
    caption = element(
        "figcaption",
        "it-head",
        element("span", "it-where", canvas.labels("prints")),
        element("span", "it-meta", element("code", "", command(program.source, canvas.root))),
    )
    if block.drawing:
        shown = pictures.draw(canvas, block)
    else:
        shown = [stashed_pre(canvas, html.escape(printed.text.rstrip("\n"), quote=False))]
    return element(
        "figure",
        "it-output",
        caption,
        *shown,
        element("p", "it-caption", dry_mark.mark(canvas)) if "dry" in block.devices else None,
        id=block.id or None,
    )


def draw_exercise(canvas: Canvas, block: ExerciseFence) -> Element:
    """The file with the hole, how it is tested, and the solution, hidden until asked for."""
    labels = canvas.labels
    with canvas.page.at(block.fence.body_line):
        task, test, solution = (find_file(canvas.root, f"{block.subject}/{name}") for name in EXERCISE)
    test_command = f"python -m pytest {test.parent.relative_to(canvas.root).as_posix()}"
    return element(
        "figure",
        "it-exercise",
        element(
            "figcaption",
            "it-head",
            element("span", "", labels("exercise") + " · ", _where(canvas, task, "")),
        ),
        stashed_pre(canvas, coloured(task)),
        element("div", "it-run-it", element("span", "", labels("test")), element("code", "", test_command)),
        element(
            "details",
            "it-solution",
            element("summary", "", labels("solution")),
            stashed_pre(canvas, coloured(solution)),
        ),
        id=block.id or None,
    )


def find_file(root: Path, subject: str) -> Path:
    """A file named from ``snippets/`` on; :class:`BookError` names the nearest where there is none."""
    base = (root / SNIPPETS).resolve()
    file = (base / subject).resolve()
    if file.is_file() and file.is_relative_to(base):
        return file
    known = [each.relative_to(base).as_posix() for each in base.rglob("*") if each.is_file()]
    raise BookError(
        "no-such-program", f"no file snippets/{subject}", "a file below snippets/", nearest(subject, known)
    )


def command(file: Path, root: Path) -> str:
    """What runs a program by hand, from the repository's root."""
    return f"python {file.relative_to(root).as_posix()}"


def coloured(file: Path) -> str:
    """A file of ours as highlighted HTML."""
    return code.coloured(file.read_text(encoding="utf-8").rstrip() + "\n", file.name).rstrip("\n")


def stashed_pre(canvas: Canvas, inner: str) -> Element:
    """A code block with a copy button, as Material expects one; ``inner`` is finished HTML."""
    holder = element("div", "highlight")
    holder.text = canvas.stash(f"<pre><code>{inner}\n</code></pre>")
    return holder


def _header(canvas: Canvas, file: Path, first: int, last: int) -> Element:
    """What runs the file, or where it is, and which of its lines are shown; it leads to the file."""
    runs = "python " if file.suffix == ".py" else ""
    where = _where(canvas, file, runs, title=canvas.labels("run-it") if runs else None)
    lines = element("span", "it-meta", canvas.labels.range(first, last))
    return element("figcaption", "it-head", where, lines)


def _where(canvas: Canvas, file: Path, before: str, title: str | None = None) -> Element:
    """A file of the repository by its path: a link to it."""
    folder, _, name = file.relative_to(canvas.root).as_posix().rpartition("/")
    command = element("code", "it-folder", f"{before}{folder}/", element("span", "it-file", name))
    href = canvas.file_link(file)
    if href is None:
        return element("span", "it-where", command, title=title)
    return link("it-where", href, command, title=title)
