"""Programs by sections, what they print, and exercises."""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element

from inside_torch.book.fences import Fence, FenceBody
from inside_torch.book.recording import SNIPPETS, Output, Program
from inside_torch.errors import BookError, nearest
from inside_torch.render import code
from inside_torch.render.elements import element, link

if TYPE_CHECKING:
    from inside_torch.render.extension import InsideTorch

_REGION = re.compile(r"^\s*(?:#|//)\s*region\s+(?P<name>[\w-]+)\s*$")
_END = re.compile(r"^\s*(?:#|//)\s*endregion(?:\s+(?P<name>[\w-]+))?\s*$")
EXERCISE = ("exercise.py", "test_exercise.py", "solution.py")


def draw_program(extension: InsideTorch, fence: Fence, body: FenceBody) -> Element:
    """A file below ``snippets/``, or a section of it, with its notes."""
    with extension.page.at(fence.body_line):
        file = find_file(extension.root, body.subject)
    numbered = read_lines(file)
    if section := body.one("section"):
        with extension.page.at(body.key_lines["section"][0]):
            first, last = regions(file, numbered, section)
        numbered = numbered[first - 1 : last]
    numbered = _without_markers(numbered)
    listed = code.listing(numbered, file.name)
    code.attach(listed, body.annotations)
    return element(
        "figure",
        "it-program",
        _header(extension, file, numbered[0][0], numbered[-1][0]),
        code.draw(extension.md, listed, extension.labels),
        id=body.one("id") or None,
    )


def draw_output(extension: InsideTorch, fence: Fence, body: FenceBody) -> Element:
    """What a program printed when it was last recorded."""
    with extension.page.at(fence.body_line):
        program = Program.find(extension.root, body.subject)
        printed = Output.load(program.output)
    caption = element(
        "figcaption",
        "it-head",
        element("span", "it-where", extension.labels("prints")),
        element("span", "it-meta", element("code", "", command(program.source, extension.root))),
    )
    return element(
        "figure",
        "it-output",
        caption,
        stashed_pre(extension, html.escape(printed.text.rstrip("\n"), quote=False)),
        id=body.one("id") or None,
    )


def draw_exercise(extension: InsideTorch, fence: Fence, body: FenceBody) -> Element:
    """The file with the hole, how it is tested, and the solution, hidden until asked for."""
    labels = extension.labels
    with extension.page.at(fence.body_line):
        task, test, solution = (find_file(extension.root, f"{body.subject}/{name}") for name in EXERCISE)
    test_command = f"python -m pytest {test.parent.relative_to(extension.root).as_posix()}"
    return element(
        "figure",
        "it-exercise",
        element(
            "figcaption",
            "it-head",
            element("span", "", labels("exercise") + " · ", _where(extension, task, "")),
        ),
        stashed_pre(extension, coloured(task)),
        element("div", "it-run-it", element("span", "", labels("test")), element("code", "", test_command)),
        element(
            "details",
            "it-solution",
            element("summary", "", labels("solution")),
            stashed_pre(extension, coloured(solution)),
        ),
        id=body.one("id") or None,
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


def read_lines(file: Path) -> list[tuple[int, str]]:
    """The lines of a file with their numbers."""
    return list(enumerate(file.read_text(encoding="utf-8").splitlines(), 1))


def regions(file: Path, numbered: list[tuple[int, str]], section: str) -> tuple[int, int]:
    """First and last line between the markers of a section; every section of the file must be well formed."""
    found: dict[str, tuple[int, int]] = {}
    open_: list[tuple[str, int]] = []
    for number, text in numbered:
        if match := _REGION.match(text):
            if match["name"] in found or any(match["name"] == name for name, _ in open_):
                raise BookError(
                    "program-region", f"the region `{match['name']}` twice", "once", file=file, line=number
                )
            open_.append((match["name"], number))
        elif match := _END.match(text):
            if not open_:
                raise BookError(
                    "program-region", "an endregion with no region", "# region …", file=file, line=number
                )
            name, start = open_.pop()
            if match["name"] and match["name"] != name:
                raise BookError(
                    "program-region",
                    f"endregion {match['name']}",
                    f"endregion {name}",
                    file=file,
                    line=number,
                )
            found[name] = (start + 1, number - 1)
    if open_:
        name, start = open_[-1]
        raise BookError(
            "program-region", f"the region `{name}` never ends", "# endregion", file=file, line=start
        )
    if section not in found:
        raise BookError(
            "program-region",
            f"no region `{section}` in {file.name}",
            "one of " + (", ".join(found) or "none: the file has no regions"),
            nearest(section, found),
        )
    return found[section]


def command(file: Path, root: Path) -> str:
    """What runs a program by hand, from the repository's root."""
    return f"python {file.relative_to(root).as_posix()}"


def coloured(file: Path) -> str:
    """A file of ours as highlighted HTML."""
    return code.coloured(file.read_text(encoding="utf-8").rstrip() + "\n", file.name).rstrip("\n")


def stashed_pre(extension: InsideTorch, inner: str) -> Element:
    """A code block with a copy button, as Material expects one; ``inner`` is finished HTML."""
    holder = element("div", "highlight")
    holder.text = extension.stash(f"<pre><code>{inner}\n</code></pre>")
    return holder


def _without_markers(numbered: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Without the region markers, the blank lines at both ends, and more than two blank lines in a row."""
    kept: list[tuple[int, str]] = []
    for number, text in numbered:
        if _REGION.match(text) or _END.match(text):
            continue
        if text.strip() or (kept and any(line.strip() for _, line in kept[-2:])):
            kept.append((number, text))
    while kept and not kept[-1][1].strip():
        kept.pop()
    if not kept:
        raise BookError("program-region", "a section with no line", "at least one line")
    return kept


def _header(extension: InsideTorch, file: Path, first: int, last: int) -> Element:
    """What runs the file, or where it is, and which of its lines are shown; it leads to the file."""
    runs = "python " if file.suffix == ".py" else ""
    where = _where(extension, file, runs, title=extension.labels("run-it") if runs else None)
    lines = element("span", "it-meta", extension.labels.range(first, last))
    return element("figcaption", "it-head", where, lines)


def _where(extension: InsideTorch, file: Path, before: str, title: str | None = None) -> Element:
    """A file of the repository by its path: a link to it."""
    folder, _, name = file.relative_to(extension.root).as_posix().rpartition("/")
    command = element("code", "it-folder", f"{before}{folder}/", element("span", "it-file", name))
    href = extension.file_link(file)
    if href is None:
        return element("span", "it-where", command, title=title)
    return link("it-where", href, command, title=title)
