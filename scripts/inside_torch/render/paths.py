"""Recorded call paths, as a list of frames, each with the command that stops there, or as a diagram."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from pathlib import Path
from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import Annotation, PathFence
from inside_torch.book.recording import Frame, PathRecording, Program
from inside_torch.errors import BookError, nearest
from inside_torch.pins.lock import Excerpt
from inside_torch.render import diagrams, dry_mark
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend
from inside_torch.render.labels import Labels
from inside_torch.render.notes import note
from inside_torch.render.pin_index import PinIndex, Source
from inside_torch.render.pin_links import decorate

# Names that say nothing without what they belong to.
COMMON_NAMES = ("call", "redispatch", "operator()", "apply", "_FUN")
# A path has many participants: they stand close, so that the column of an article holds ten of them, and are
# not drawn again at the foot.
NARROW = (
    '%%{init: {"sequence": {"actorMargin": 4, "width": 84, "height": 40, "boxMargin": 4, '
    '"diagramMarginX": 4, "wrapPadding": 4, "messageMargin": 24, "actorFontSize": 13, "messageFontSize": 13, '
    '"mirrorActors": false}}}%%'
)


def recording(root: Path, subject: str) -> PathRecording:
    """The recorded path of a program."""
    return PathRecording.load(Program.find(root, subject).path)


def draw(canvas: Canvas, block: PathFence) -> Element:
    """The figure of a path fence."""
    with canvas.page.at(block.fence.body_line):
        path = recording(canvas.root, block.subject)
        program = Program.find(canvas.root, block.subject)
        notes = _attach(path.frames, block.annotations)
        if block.view == "sequence":
            drawn = diagrams.figure(canvas, sequence(path, canvas.sources, canvas.labels))
            drawn.set("class", "it-diagram it-path it-path--sequence")
            if block.annotations:
                extend(drawn, _remarks(canvas, path, notes))
        else:
            head = element("div", "it-stop-how", _start(canvas, program, path.frames))
            drawn = element("figure", "it-path", _frames(canvas, path, notes), head)
    if block.id:
        drawn.set("id", block.id)
    labels = canvas.labels
    extend(
        drawn,
        element(
            "figcaption" if block.view == "list" else "p",
            "it-caption",
            *((dry_mark.mark(canvas), " ") if path.device == "dry" else ()),
            labels("recorded", release=path.release, build=path.build, machine=path.machine) + ". ",
            labels("recorded-repeats" if path.repeats else "recorded-once") + " ",
            labels("record-again") + ": ",
            element("code", "", f"inside-torch trace {program.name}"),
        ),
    )
    return drawn


def _attach(frames: list[Frame], annotations: Sequence[Annotation]) -> dict[int, list[Annotation]]:
    """The annotations of each frame, by its index; a pattern is a part of the symbol."""
    attached: dict[int, list[Annotation]] = {}
    for annotation in annotations:
        if annotation.pattern is None:
            raise BookError(
                "annotation", f"step {annotation.step} on a path", "`symbol`: text", line=annotation.line
            )
        wanted = annotation.pattern
        found = [
            i
            for i, frame in enumerate(frames)
            if frame.symbol == wanted or frame.symbol.endswith("::" + wanted)
        ]
        found = found or [i for i, frame in enumerate(frames) if wanted in frame.symbol]
        if len(found) != annotation.count:
            raise BookError(
                "annotation-match",
                f"`{wanted}` is in {len(found)} frames",
                f"{annotation.count}" + (f", or x{len(found)} after the pattern" if found else ""),
                nearest(wanted, [frame.symbol for frame in frames]),
                line=annotation.line,
            )
        attached.setdefault(found[0], []).append(annotation)
    return attached


def _frames(canvas: Canvas, path: PathRecording, notes: dict[int, list[Annotation]]) -> Element:
    """The list of frames, each set in by its depth."""
    labels = canvas.labels
    least = min((frame.depth for frame in path.frames), default=0)
    listed = element("ol", "it-frames")
    for index, frame in enumerate(path.frames):
        source = canvas.sources.look(frame.pin) if frame.pin else None
        row = element(
            "div",
            "it-call",
            element("span", f"it-badge it-badge--{frame.language}", labels(frame.language)),
            _symbol(canvas, frame, source),
            element("span", "it-thread", labels("thread", number=frame.thread)) if frame.thread else None,
        )
        item = element("li", "it-frame", row, style=f"--depth:{frame.depth - least}")
        if stop := command(frame, source):
            summary = element("summary", "", labels("stop-here"), title=labels(f"stop-{frame.language}"))
            row.append(element("details", "it-stop", summary, element("code", "", stop)))
        for annotation in notes.get(index, ()):
            item.append(note(canvas.md, annotation, frame.symbol))
        listed.append(item)
    return listed


def _symbol(canvas: Canvas, frame: Frame, source: Source | None) -> Element:
    scope, name = _split(frame.symbol)
    # The name is an element of its own: attr_list would read `{lambda#1}` after one as its attributes.
    shown = element("code", "", element("span", "it-scope", scope), element("span", "it-leaf", name))
    if source is None:
        return element("span", "it-symbol", shown, title=frame.full_symbol)
    anchor = element("a", "it-symbol", shown)
    decorate(anchor, source, canvas.labels)
    return anchor


def _split(symbol: str) -> tuple[str, str]:
    """The namespaces of a symbol, and what tells it from others: its class, if any, and its name."""
    parts = re.split(r"(?<=::)", symbol)
    of_class = len(parts) > 1 and (parts[-2][:1].isupper() or parts[-1] in COMMON_NAMES)
    kept = 2 if of_class else 1
    return "".join(parts[:-kept]), "".join(parts[-kept:])


def command(frame: Frame, source: Source | None) -> str | None:
    """What to type to stop in a frame: in gdb, or in pdb at the first statement that does something."""
    if frame.language == "cpp":
        if "{" in frame.symbol or "lambda" in frame.symbol:
            return None
        quoted = f"'{frame.symbol}'" if re.search(r"[\s(]", frame.symbol) else frame.symbol
        return f"break {quoted}"
    if source is None or source.excerpt is None or source.address.text:
        return None
    return f"b {source.address.path}:{first_statement(source.excerpt)}"


def first_statement(text: Excerpt) -> int:
    """The line of a function's first statement after its docstring; pdb stops on no ``def``."""
    # An indented method is parsed as it stands, below a line of ours, for its strings may not be indented.
    head = ["if True:"] if text.lines[0][:1].isspace() else []
    statement = ast.parse("\n".join([*head, *text.lines])).body[0]
    function = statement.body[0] if head and isinstance(statement, ast.If) else statement
    body = getattr(function, "body", [function])
    if len(body) > 1 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
        body = body[1:]
    return text.first + body[0].lineno - 1 - len(head)


def _start(canvas: Canvas, program: Program, frames: list[Frame]) -> Element:
    """How the debuggers are started on the program."""
    labels = canvas.labels
    file = program.source.relative_to(canvas.root).as_posix()
    how = element("details", "it-how", element("summary", "", labels("stop-how")))
    languages = {frame.language for frame in frames}
    if "python" in languages:
        how.append(
            element("p", "", labels("stop-how-python") + ": ", element("code", "", f"python -m pdb {file}"))
        )
    if "cpp" in languages:
        gdb = f"gdb -q -ex 'set breakpoint pending on' --args python {file}"
        how.append(element("p", "", labels("stop-how-cpp") + ": ", element("code", "", gdb)))
    return how


def _remarks(canvas: Canvas, path: PathRecording, notes: dict[int, list[Annotation]]) -> Element:
    """The annotations of a sequence diagram, below it."""
    listed = element("ul", "it-remarks")
    for index, each in sorted(notes.items()):
        for annotation in each:
            name = element("code", "", "".join(_split(path.frames[index].symbol)[1:]))
            item = element("li", "", name)
            item.append(note(canvas.md, annotation, path.frames[index].symbol))
            listed.append(item)
    return listed


def sequence(path: PathRecording, sources: PinIndex, labels: Labels) -> diagrams.Diagram:
    """The recorded calls as a sequence diagram; the participants are Python, classes and files."""
    program = path.program.rpartition("/")[2] + ".py"
    names: dict[str, str] = {"Python": "p0"}
    links: dict[str, dict[str, str]] = {}
    diagram_links: list[tuple[str, str, str]] = []
    stack: list[tuple[int, str]] = []
    calls = []
    for frame in path.frames:
        source = sources.look(frame.pin) if frame.pin else None
        owner = participant(frame, source)
        node = names.setdefault(owner, f"p{len(names)}")
        while stack and stack[-1][0] >= frame.depth:
            stack.pop()
        caller = stack[-1][1] if stack else "p0"
        name = _message(frame.symbol, owner)
        calls.append(f"  {caller}->>{node}: {_broken(name)}")
        stack.append((frame.depth, node))
        if source is not None and source.pin.permalink:
            links.setdefault(node, {})[name] = source.pin.permalink
            diagram_links.append((frame.symbol, source.pin.permalink, source.title(labels)))
    short = [_plain(_split(frame.symbol)[1]) for frame in path.frames]
    title = labels("call-path", program=program)
    described = labels(
        "call-path-descr", count=len(path.frames), program=program, symbols=", ".join(dict.fromkeys(short))
    )
    lines = [NARROW, "sequenceDiagram", f"  accTitle: {title}", f"  accDescr: {described}"]
    lines += [f"  participant {node} as {_broken(_plain(owner))}" for owner, node in names.items()]
    lines += [
        diagrams.sequence_link(node, label, href)
        for node, each in links.items()
        for label, href in each.items()
    ]
    return diagrams.Diagram(
        "\n".join([*lines, *calls]) + "\n", title, links=list(dict.fromkeys(diagram_links))
    )


def participant(frame: Frame, source: Source | None) -> str:
    """Who is called: Python, a C++ class, the file of a free function, or the generated nodes."""
    if frame.language == "python":
        return "Python"
    parts = frame.symbol.split("::")
    if "generated" in parts[:-2]:
        return "generated"
    if len(parts) > 1 and parts[-2][:1].isupper():
        return parts[-2]
    return Path(source.address.path).name if source else "::".join(parts[-2:-1]) or "C++"


def _message(symbol: str, owner: str) -> str:
    """A call as its arrow says it: without the class that is called."""
    return _plain(_split(symbol)[1].removeprefix(f"{owner}::").replace("<locals>.", ""))


def _broken(text: str, width: int = 13) -> str:
    """A long name on several lines, broken after an underscore, a point, at ``::`` or at a hump."""
    lines = [""]
    for part in re.findall(r".+?(?:_+(?=[^_])|::|\.|(?<=[a-z])(?=[A-Z])|$)", text):
        if len(lines[-1]) + len(part) > width and lines[-1].strip("_"):
            lines.append("")
        lines[-1] += part
    return "<br/>".join(lines)


def _plain(text: str) -> str:
    """A text that Mermaid takes as it is."""
    return text.replace("#", "").replace(";", "").replace("<", "#lt;").replace(">", "#gt;")
