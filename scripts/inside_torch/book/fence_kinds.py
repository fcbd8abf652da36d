"""What each fence of a page says, by its kind: read once, and judged here alone.

Rules, runs and drawings take these values. Two fences are equal where a translation leaves them as they are:
their lines and the words that are translated are not compared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from inside_torch.book.fences import Fence
from inside_torch.errors import BookError, nearest

#: The rules by which changing text in what is printed can be made the same on each run.
NORMALISERS = ("addresses", "ids", "times", "device", "paths")
#: What a fence may ask of the machine that its program runs on.
NEEDS = ("compiler", "nvcc", "gdb", "cuda")
#: The devices that a probe or a program runs on, unless told.
DEVICES = ("cpu", "cuda")
#: What it can be confined to, and where it runs then. What is written for the dry GPU runs on a real one too,
#: unless it has what no real one has: ranks that are pretended.
CONFINED = {"cpu": ("cpu",), "cuda": ("cuda",), "dry": ("dry", "cuda"), "dry-only": ("dry",)}
#: Each device that something may run on.
EVERY_DEVICE = ("cpu", "cuda", "dry")
#: The seconds that a program may take: unless told, which only what hangs reaches on a busy machine; at most.
TIMEOUT, LONGEST = 900, 1800
#: How a recorded path can be drawn.
VIEWS = ("list", "sequence")
#: How numbers can be drawn, and which axes can be logarithmic.
DRAWINGS = ("curves", "steps", "points", "grid", "blocks")
AXES = ("x", "y")


def on_dry(fence: Fence) -> bool:
    """Whether a block, of any language, is confined to the dry GPU."""
    return "dry" in CONFINED.get(fence.options.get("devices", ""), ())


@dataclass(frozen=True)
class Annotation:
    """A remark on a line of an excerpt or program, on a frame of a path, or a numbered step (``.cpp``)."""

    pattern: str | None  # text that the annotated line holds
    step: int | None  # 1, 2, … for a numbered step
    count: int  # how many lines hold the pattern
    text: str = field(compare=False)  # Markdown
    line: int = field(compare=False)
    in_tree: bool = False  # the pattern is one of the source's text, which only a source tree can show


@dataclass(frozen=True)
class Said:
    """A value that a fence gives, and its line."""

    text: str
    line: int = field(compare=False)


@dataclass(frozen=True)
class Span:
    """What a ``show`` or ``fold`` names: the line that holds a text, through the next that holds another."""

    first: str
    last: str | None  # None where only one line is named
    line: int = field(compare=False)

    def __str__(self) -> str:
        return f"`{self.first}`" + (f" .. `{self.last}`" if self.last else "")


@dataclass(frozen=True)
class Drawing:
    """How the numbers of a fence are drawn."""

    kind: str
    log: tuple[str, ...] = ()  # the logarithmic axes
    y: str = field(default="", compare=False)  # what the vertical axis is called

    def __str__(self) -> str:
        return f"`draw: {self.kind}`"


@dataclass(frozen=True)
class MeasuredRow:
    """A row of a measurements fence."""

    name: str  # of the value
    label: str = field(compare=False)
    line: int = field(compare=False)


class _Values:
    """The values of one fence by key; what of them cannot be is gathered in ``wrong``."""

    def __init__(self, fence: Fence, said: Mapping[str, Sequence[Said]]) -> None:
        self.fence, self.said = fence, said
        self.wrong: list[BookError] = []

    def refuse(self, key: str, found: str, expected: str, near: str = "", rule: str = "fence-value") -> None:
        line = self.said[key][0].line if self.said.get(key) else self.fence.line
        self.wrong.append(BookError(rule, found, expected, near, line=line))

    def first(self, key: str) -> Said | None:
        return self.said[key][0] if key in self.said else None

    def text(self, key: str) -> str:
        return self.said[key][0].text if key in self.said else ""

    def names(self, key: str, known: Sequence[str]) -> tuple[str, ...]:
        """Names with commas between them, each of which is known."""
        found = tuple(re.split(r"\s*,\s*", self.text(key))) if key in self.said else ()
        return tuple(self.known(key, name, known) for name in found)

    def known(self, key: str, name: str, known: Sequence[str]) -> str:
        """A name, which is refused where it is none of those."""
        if name not in known:
            self.refuse(key, f"`{name}` in `{key}`", f"one of {', '.join(known)}", nearest(name, known))
        return name

    def devices(self) -> tuple[str, ...]:
        """Each device, or those of the one that is named with a reason."""
        for here, other in (("devices", "why"), ("why", "devices")):
            if here in self.said and other not in self.said:
                self.refuse(here, f"`{here}` with no `{other}`", "both or neither")
        if "devices" not in self.said:
            return DEVICES
        return CONFINED.get(self.known("devices", self.text("devices"), tuple(CONFINED)), DEVICES)

    def timeout(self) -> int:
        value = self.text("timeout") or str(TIMEOUT)
        if re.fullmatch(r"[1-9]\d{0,5}", value, re.ASCII) and int(value) <= LONGEST:
            return int(value)
        self.refuse("timeout", f"`timeout: {value}`", f"a whole number of seconds, 1 to {LONGEST}")
        return TIMEOUT

    def drawing(self) -> Drawing | None:
        """How the numbers are drawn; None where they are not."""
        if "draw" in self.said:
            kind = self.known("draw", self.text("draw"), DRAWINGS)
            return Drawing(kind, self.names("log", AXES), self.text("y"))
        for key in ("log", "y"):
            if key in self.said:
                self.refuse(key, f"`{key}` with no `draw`", "both or neither")
        return None

    def exception(self) -> str:
        name = self.text("raises")
        if name and not re.fullmatch(r"[A-Za-z_][\w.]*", name):
            self.refuse("raises", f"`raises: {name}`", "the name of an exception's class")
        return name

    def spans(self, key: str) -> Iterator[Span]:
        for said in self.said.get(key, ()):
            if match := _SPAN.match(said.text.strip()):
                last = match["text2"]
                yield Span(match["text1"].strip(), last.strip() if last else None, said.line)
            else:
                expected = "two texts in backticks with .. between them"
                self.wrong.append(BookError("fence-range", f"`{said.text}`", expected, line=said.line))

    def rows(self) -> Iterator[MeasuredRow]:
        for said in self.said.get("rows", ()):
            name, _, label = said.text.partition(": ")
            yield MeasuredRow(name, label, said.line)


@dataclass(frozen=True, kw_only=True)
class Block:
    """A fence and what it says."""

    kind: ClassVar[str]
    keys: ClassVar[tuple[str, ...]] = ("id",)

    fence: Fence = field(compare=False)
    id: str = ""

    @property
    def line(self) -> int:
        """The line of the fence's opening."""
        return self.fence.line

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        """What it says beside its id."""
        return {}


@dataclass(frozen=True, kw_only=True)
class ProbeFence(Block):
    """Python that is run."""

    kind = "probe"
    keys = ("id", "group", "normalise", "devices", "why", "raises")

    group: str  # of the probes that share their globals
    rules: tuple[str, ...]
    devices: tuple[str, ...]
    why: str | None = field(compare=False)
    raises: str  # the class of the exception that it ends with, or nothing

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        return {
            "group": values.text("group") or f"L{values.fence.line}",
            "rules": values.names("normalise", NORMALISERS),
            "devices": values.devices(),
            "why": values.text("why") or None,
            "raises": values.exception(),
        }


class DiagramFence(Block):
    """A Mermaid diagram."""

    kind = "diagram"


@dataclass(frozen=True, kw_only=True)
class ExcusedFence(Block):
    """Any other fence; what excuses it is None where nothing does."""

    kind = "excused"
    keys = ("excuse", "id", "title")

    language: str
    excuse: str | None = field(compare=False)

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        excuse = values.first("excuse")
        return {"language": values.fence.language, "excuse": excuse.text if excuse else None}


@dataclass(frozen=True, kw_only=True)
class BookFence(Block):
    """One of the book's own fences: its subject on its first line, keys, annotations."""

    annotated: ClassVar[bool] = False
    many: ClassVar[tuple[str, ...]] = ()  # keys that may be given more than once
    blocks: ClassVar[tuple[str, ...]] = ()  # keys whose value is the indented lines below them

    subject: str  # an address, a name below snippets/, a release, …
    annotations: tuple[Annotation, ...] = ()

    @property
    def steps(self) -> list[Annotation]:
        """The annotations that are numbered."""
        return [annotation for annotation in self.annotations if annotation.step is not None]


@dataclass(frozen=True, kw_only=True)
class ExcerptFence(BookFence):
    """Pinned lines, or the steps of a compiled function."""

    kind = "excerpt"
    keys = ("id", "show", "fold", "pseudo")
    annotated = True
    many = ("fold",)
    blocks = ("pseudo",)

    shows: tuple[Span, ...]
    folds: tuple[Span, ...]
    # With its indentation. A translation keeps its shape, not its words: see ``steps.shape``.
    pseudo: tuple[Said, ...] = field(compare=False)

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        shows, folds = (tuple(values.spans(key)) for key in ("show", "fold"))
        return {"shows": shows, "folds": folds, "pseudo": tuple(values.said.get("pseudo", ()))}


@dataclass(frozen=True, kw_only=True)
class ProgramFence(BookFence):
    """A file below ``snippets/``, or a section of it."""

    kind = "program"
    keys = ("id", "section")
    annotated = True

    section: Said | None

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        return {"section": values.first("section")}


@dataclass(frozen=True, kw_only=True)
class OutputFence(BookFence):
    """What a program prints, and how it is run."""

    kind = "output"
    keys = ("id", "normalise", "timeout", "devices", "why", "needs", "draw", "log", "y")

    drawing: Drawing | None = None
    rules: tuple[str, ...]
    timeout: int
    devices: tuple[str, ...]
    why: str | None = field(compare=False)
    needs: tuple[str, ...]

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        return {
            "rules": values.names("normalise", NORMALISERS),
            "timeout": values.timeout(),
            "devices": values.devices(),
            "why": values.text("why") or None,
            "needs": values.names("needs", NEEDS),
            "drawing": values.drawing(),
        }


@dataclass(frozen=True, kw_only=True)
class PathFence(BookFence):
    """The recorded calls of a program."""

    kind = "path"
    keys = ("id", "view")
    annotated = True

    view: str

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        return {"view": values.known("view", values.text("view") or VIEWS[0], VIEWS)}


@dataclass(frozen=True, kw_only=True)
class MeasurementsFence(BookFence):
    """The recorded numbers of a program: those of its rows, or all."""

    kind = "measurements"
    keys = ("id", "rows", "draw", "log", "y")
    blocks = ("rows",)

    rows: tuple[MeasuredRow, ...]
    drawing: Drawing | None = None

    @classmethod
    def fields(cls, values: _Values) -> dict[str, Any]:
        if "rows" in values.said and "draw" in values.said:
            values.refuse("rows", "`rows` beside `draw`", "one of them: a picture shows every number")
        return {"rows": tuple(values.rows()), "drawing": values.drawing()}


class ExerciseFence(BookFence):
    """An exercise, by its folder."""

    kind = "exercise"


class DriftFence(BookFence):
    """What a release did to the pins."""

    kind = "drift"


class RouteFence(BookFence):
    """A reading route of the curriculum."""

    kind = "route"


class ListFence(BookFence):
    """A list that the machine makes, of all there is."""


class SourcesFence(ListFence):
    """Every pinned file."""

    kind = "sources"


class ProofFence(ListFence):
    """What is proven of each article."""

    kind = "proof"


class GlossaryFence(ListFence):
    """Every term."""

    kind = "glossary"


#: The book's own fences, by language.
KINDS: dict[str, type[BookFence]] = {
    kind.kind: kind
    for kind in (
        ExcerptFence, ProgramFence, OutputFence, PathFence, MeasurementsFence, ExerciseFence, DriftFence,
        RouteFence, SourcesFence, ProofFence, GlossaryFence,
    )
}  # fmt: skip

_TICKED = r"(?P<ticks{0}>`+)(?P<text{0}>.+?)(?P=ticks{0})(?!`)"
_ANNOTATION = re.compile(rf"^{_TICKED.format(1)}(?:\s+x(?P<count>\d+))?:(?:\s+(?P<rest>.*))?$")
_STEP = re.compile(rf"^(?P<step>\d+)\.\s+(?:(?P<tree>at\s+)?{_TICKED.format(1)}:\s+)?(?P<rest>.*)$")
# What was meant as an annotation and is none.
_ALMOST = re.compile(rf"^{_TICKED.format(1)}(?:\s+x\d+)?\s*:(?!:)")
_SPAN = re.compile(rf"^{_TICKED.format(1)}(?:\s*\.\.\s*{_TICKED.format(2)})?$")
_KEY = re.compile(r"^(?P<key>[a-z][a-z_-]*):(?:\s+(?P<value>.*))?$")


def read(fence: Fence) -> Block:
    """What a fence says; raises the first :class:`BookError` of it."""
    block, wrong = parse(fence)
    if block is None or wrong:
        raise wrong[0]
    return block


def parse(fence: Fence) -> tuple[Block | None, list[BookError]]:
    """What a fence says, None where that cannot be told, and all that is wrong with its values."""
    kind = kind_of(fence)
    values = _Values(fence, {key: [Said(text, fence.line)] for key, text in fence.options.items()})
    _check_options(kind, values)
    if not issubclass(kind, BookFence):
        return kind(fence=fence, id=values.text("id"), **kind.fields(values)), values.wrong
    try:
        subject, keys, annotations = _body(kind, fence)
    except BookError as error:
        return None, [error]
    told = _Values(fence, keys)
    if issubclass(kind, ListFence) and subject != "all":
        wrong = BookError("fence-subject", f"`{subject}` in a {kind.kind} fence", "all", line=fence.body_line)
        told.wrong.append(wrong)
    common: dict[str, Any] = {"fence": fence, "id": told.text("id"), "subject": subject}
    block = kind(**common, annotations=annotations, **kind.fields(told))
    return block, values.wrong + told.wrong


def kind_of(fence: Fence) -> type[Block]:
    """What a fence is for."""
    if fence.language in KINDS:
        return KINDS[fence.language]
    if fence.language == "mermaid":
        return DiagramFence
    return ProbeFence if fence.language == "python" and "excuse" not in fence.options else ExcusedFence


def _check_options(kind: type[Block], values: _Values) -> None:
    """Refuse an option of the opening line that its kind does not have, or that says nothing."""
    if kind is ExcusedFence and "excuse" not in values.said:
        return  # the rule `fence-unproven` speaks of it
    known = () if issubclass(kind, BookFence) else kind.keys
    for option, (said,) in values.said.items():
        if option not in known:
            expected = f"one of {', '.join(known)}" if known else "keys below its subject"
            found = f"the option `{option}` of a {kind.kind}"
            values.refuse(option, found, expected, nearest(option, known), "fence-options")
        elif not said.text:
            found = f"the option `{option}` with no value"
            values.refuse(option, found, f'{option}="…"', rule="fence-options")


def _body(kind: type[BookFence], fence: Fence) -> tuple[str, dict[str, list[Said]], tuple[Annotation, ...]]:
    """Subject, keys and annotations of one of the book's own fences."""
    lines = fence.body.split("\n")[:-1]
    subject = lines[0].strip() if lines else ""
    if not subject:
        found = f"a {kind.kind} fence that names nothing"
        raise BookError("fence-subject", found, "its subject on its first line", line=fence.line)
    keys: dict[str, list[Said]] = {}
    number = 1
    while number < len(lines) and lines[number].strip():
        at = fence.body_line + number
        key, value = _key(kind, lines[number], at)
        if key in keys and key not in kind.many:
            raise BookError("fence-key", f"the key `{key}` twice", "once", line=at)
        number += 1
        if key in kind.blocks:
            keys[key] = []
            while number < len(lines) and lines[number].startswith(" "):
                keys[key].append(_inner(key, lines[number], fence.body_line + number))
                number += 1
        elif value:
            keys.setdefault(key, []).append(Said(value, at))
        if not keys.get(key) or not (value or key in kind.blocks):
            raise BookError("fence-key", f"the key `{key}` with no value", f"`{key}: value`", line=at)
    return subject, keys, _annotations(kind, fence, lines, number)


def _key(kind: type[BookFence], line: str, at: int) -> tuple[str, str]:
    """A key that the kind has, and what stands behind it."""
    if not (match := _KEY.match(line)):
        expected = "`key: value`, or a blank line before annotations"
        raise BookError("fence-key", f"`{line.strip()}`", expected, line=at)
    key = match["key"]
    if key not in kind.keys:
        found, expected = f"the key `{key}` in a {kind.kind} fence", f"one of {', '.join(kind.keys)}"
        raise BookError("fence-key", found, expected, nearest(key, kind.keys), line=at)
    return key, (match["value"] or "").strip()


def _inner(key: str, line: str, at: int) -> Said:
    """A line below a key; pseudo-code keeps its indentation, a row has a name and a label."""
    if key == "pseudo":
        return Said(line.rstrip(), at)
    if ": " not in line.strip():
        raise BookError("fence-key", f"`{line.strip()}` in `{key}`", "`name: label`", line=at)
    return Said(line.strip(), at)


def _annotations(kind: type[BookFence], fence: Fence, lines: list[str], first: int) -> tuple[Annotation, ...]:
    """What follows the blank line. A line that begins no annotation continues the one above it."""
    found: list[tuple[Annotation, list[str]]] = []
    for number in range(first, len(lines)):
        line, at = lines[number], fence.body_line + number
        if line.strip() and not kind.annotated:
            expected = f"nothing: {kind.kind} takes no annotation"
            raise BookError("fence-key", f"`{line.strip()}` after a blank line", expected, line=at)
        if match := _ANNOTATION.match(line):
            made = Annotation(match["text1"].strip(), None, int(match["count"] or 1), "", at)
            found.append((made, [match["rest"] or ""]))
        elif match := _STEP.match(line):
            pattern = match["text1"].strip() if match["text1"] else None
            made = Annotation(pattern, int(match["step"]), 1, "", at, bool(match["tree"]))
            found.append((made, [match["rest"]]))
        elif _ALMOST.match(line):
            told = f"`{line.strip()[:80]}`, which would continue the annotation above it"
            expected = "`` `pattern`: text ``, with no blank before the colon and one after it"
            raise BookError("annotation", told, expected, line=at)
        elif found:
            found[-1][1].append(line)
        elif line.strip():
            raise BookError("annotation", f"`{line.strip()}`", "`` `pattern`: text `` or `1. text`", line=at)
    return tuple(replace(made, text=_dedent(text)) for made, text in found)


def _dedent(text: list[str]) -> str:
    """Join an annotation's lines, its continuation lines without their common indentation."""
    rest = [line for line in text[1:] if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return "\n".join([text[0], *(line[margin:] for line in text[1:])]).strip()
