"""The fences of a page: where they are, and what the book's own ones say.

``scan`` follows the same grammar as pymdownx.superfences, which draws the pages: a fence is closed by a line
that repeats its opening characters exactly, it may be indented inside a list or an admonition or quoted
with ``>``, and four blanks more than its container make it code that shows a fence, not a fence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from inside_torch.errors import BookError, nearest


@dataclass(frozen=True)
class Fence:
    """One fenced block. Lines are 1-based and those of the scanned text."""

    line: int  # of the opening
    language: str
    options: dict[str, str]
    body: str  # without the indentation of the fence; ends with a newline unless empty
    body_line: int  # of the body's first line
    indent: str = ""  # what stands before the opening characters on each line

    @property
    def last_line(self) -> int:
        """The line of the closing characters."""
        return self.body_line + self.body.count("\n")


@dataclass(frozen=True)
class Annotation:
    """A remark on a line of an excerpt or program, on a frame of a path, or a numbered step (``.cpp``)."""

    pattern: str | None  # text that the annotated line holds
    step: int | None  # 1, 2, … for a numbered step
    count: int  # how many lines hold the pattern
    text: str  # Markdown
    line: int
    in_tree: bool = False  # the pattern is one of the source's text, which only a source tree can show


@dataclass(frozen=True)
class FenceBody:
    """What one of the book's own fences says."""

    subject: str  # its first line: an address, or a name below snippets/
    keys: dict[str, list[str]] = field(default_factory=dict)
    annotations: list[Annotation] = field(default_factory=list)
    key_lines: dict[str, list[int]] = field(default_factory=dict)

    def one(self, key: str, default: str = "") -> str:
        """The value of a key that is given at most once."""
        return self.keys[key][0] if key in self.keys else default

    @property
    def rows(self) -> dict[str, str]:
        """The rows of a measurements fence: name of the value, label."""
        return dict(row.split(": ", 1) for row in self.keys.get("rows", []))


@dataclass(frozen=True)
class Grammar:
    """What a fence of the book may say after its subject."""

    keys: tuple[str, ...]
    annotated: bool = False
    many: tuple[str, ...] = ()  # keys that may be given more than once
    blocks: tuple[str, ...] = ()  # keys whose value is the indented lines below them
    #: Blocks that keep their indentation, and have no ``name: label`` on each line.
    shapes: tuple[str, ...] = ()


#: The rules by which changing text in what is printed can be made the same on each run.
NORMALISERS = ("addresses", "ids", "times", "device", "paths")

#: What a fence may ask of the machine that its program runs on.
NEEDS = ("compiler", "gdb", "cuda")

#: The devices that a probe or a program can be confined to.
DEVICES = ("cpu", "cuda")

#: The seconds that a program may take: unless told, and at most.
TIMEOUT, LONGEST = 300, 1800

#: The book's own fences, by language.
GRAMMARS: dict[str, Grammar] = {
    "excerpt": Grammar(
        ("id", "show", "fold", "pseudo"),
        annotated=True,
        many=("fold",),
        blocks=("pseudo",),
        shapes=("pseudo",),
    ),
    "program": Grammar(("id", "section"), annotated=True),
    "output": Grammar(("id", "normalise", "timeout", "devices", "why", "needs")),
    "path": Grammar(("id", "view"), annotated=True),
    "measurements": Grammar(("id", "rows"), blocks=("rows",)),
    "exercise": Grammar(("id",)),
    "drift": Grammar(("id",)),
    "route": Grammar(("id",)),
    "sources": Grammar(("id",)),
    "proof": Grammar(("id",)),
    "glossary": Grammar(("id",)),
}

_OPENING = re.compile(r"^(?P<indent>[ >]*)(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)$")
_CONTAINER = re.compile(r"^(?P<indent>[ >]*)(?:[-*+] +|\d+[.)] +|(?:!!!|\?\?\?\+?|===\+?!?) )")
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_OPTION = re.compile(
    r"""\s*(?:
        (?P<key>[A-Za-z_][\w-]*)\s*=\s*(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'}]+))
        | \.(?P<class>[\w+-]+)
        | \#(?P<id>[\w-]+)
    )(?=\s|$)""",
    re.VERBOSE,
)
_LANGUAGE = re.compile(r"\s*(?P<name>[\w+#.-]+)(?=\s|\{|$)(?!\s*=)")
_TICKED = r"(?P<ticks{0}>`+)(?P<text{0}>.+?)(?P=ticks{0})(?!`)"
_ANNOTATION = re.compile(rf"^{_TICKED.format(1)}(?:\s+x(?P<count>\d+))?:(?:\s+(?P<rest>.*))?$")
_STEP = re.compile(rf"^(?P<step>\d+)\.\s+(?:(?P<tree>at\s+)?{_TICKED.format(1)}:\s+)?(?P<rest>.*)$")
# What was meant as an annotation and is none.
_ALMOST = re.compile(rf"^{_TICKED.format(1)}(?:\s+x\d+)?\s*:(?!:)")
_RANGE = re.compile(rf"^{_TICKED.format(1)}(?:\s*\.\.\s*{_TICKED.format(2)})?$")
_KEY = re.compile(r"^(?P<key>[a-z][a-z_-]*):(?:\s+(?P<value>.*))?$")


def parse_info(info: str, line: int | None = None) -> tuple[str, dict[str, str]]:
    """Language and options of a fence's opening line: ``python {id="x"}`` or ``{.python id="x"}``."""
    rest = info.strip()
    language = ""
    if not rest.startswith("{") and (named := _LANGUAGE.match(rest)):
        language, rest = named["name"], rest[named.end() :].strip()
    braced = rest.startswith("{")
    if braced:
        if not rest.endswith("}"):
            raise BookError(
                "fence-options", f"options with no closing brace: {rest}", '{key="value"}', line=line
            )
        rest = rest[1:-1].strip()
    options: dict[str, str] = {}
    while rest:
        option = _OPTION.match(rest)
        if not option:
            raise BookError("fence-options", f"`{rest}` in a fence's options", '{key="value"}', line=line)
        if option["class"] and not language:
            language = option["class"]
        else:
            key = option["key"] or ("class" if option["class"] else "id")
            values = (option[name] for name in ("double", "single", "bare", "class", "id"))
            value = next(value for value in values if value is not None)
            if key in options:
                raise BookError("fence-options", f"the option `{key}` twice", "once", line=line)
            options[key] = value
        rest = rest[option.end() :].strip()
    return language, options


def scan(text: str) -> list[Fence]:
    """All fences of a page, in page order. A fence that is never closed is a :class:`BookError`."""
    return split(text)[0]


def split(text: str) -> tuple[list[Fence], str, list[int]]:
    """The fences of a page, its prose, and the lines on which indented code begins.

    The prose has as many lines as the text; those of fences, comments and indented code are empty in it.
    """
    lines = text.split("\n")
    prose = list(lines)
    fences: list[Fence] = []
    indented: list[int] = []
    containers: list[int] = []  # columns at which the open lists and admonitions begin
    after_blank, in_code = True, False
    number = 0
    while number < len(lines):
        line = lines[number]
        opening = _OPENING.match(line)
        column = len(line) - len(line.lstrip(" >"))
        if line.strip():
            while containers and containers[-1] >= column:
                containers.pop()
        allowed = containers[-1] + 8 if containers else 4
        too_deep = column - line[:column].rfind(">") - 1 >= allowed
        if opening and not too_deep:
            end = _closing(lines, number, opening["marks"])
            indent = opening["indent"]
            language, options = parse_info(opening["info"], number + 1)
            body = "".join(_strip(inner, indent) + "\n" for inner in lines[number + 1 : end])
            fences.append(Fence(number + 1, language, options, body, number + 2, indent))
            prose[number : end + 1] = [""] * (end + 1 - number)
            number, after_blank, in_code = end + 1, True, False
            continue
        if line.strip() and too_deep and (after_blank or in_code):
            if not in_code:
                indented.append(number + 1)
            in_code, prose[number] = True, ""
        elif line.strip():
            in_code = False
            if container := _CONTAINER.match(line):
                containers.append(len(container["indent"]))
            if _opens_comment(line):
                end = next((i for i in range(number + 1, len(lines)) if "-->" in lines[i]), len(lines) - 1)
                prose[number + 1 : end + 1] = [""] * (end - number)
                prose[number] = line[: line.rfind("<!--")]
                number = end
        after_blank = not line.strip()
        number += 1
    return fences, "\n".join(prose), indented


def _closing(lines: list[str], opening: int, marks: str) -> int:
    """The index of the line that closes the fence opened at index ``opening``."""
    for number in range(opening + 1, len(lines)):
        if lines[number].strip(" >\t") == marks:
            return number
    begins = lines[opening].strip()
    raise BookError("unclosed-fence", f"a fence that begins {begins}", f"{marks} below it", line=opening + 1)


def _opens_comment(line: str) -> bool:
    """Whether an HTML comment begins on this line and does not end on it."""
    visible = _CODE_SPAN.sub("", line)
    return "<!--" in visible and "-->" not in visible[visible.rfind("<!--") :]


def _strip(line: str, indent: str) -> str:
    """The line without the fence's indentation, or without as much of it as there is."""
    if line.startswith(indent):
        return line[len(indent) :]
    return line[len(line[: len(indent)]) - len(line[: len(indent)].lstrip(" >")) :]


def parse_timeout(value: str) -> int:
    """The seconds that an ``output`` gives its program; raises :class:`BookError` for what cannot be."""
    if not re.fullmatch(r"[1-9]\d{0,5}", value, re.ASCII) or int(value) > LONGEST:
        raise BookError("fence-value", f"`timeout: {value}`", f"a whole number of seconds, 1 to {LONGEST}")
    return int(value)


def parse_range(value: str) -> tuple[str, str | None]:
    """The two texts of a ``show`` or ``fold``; the second is None where only one line is named."""
    match = _RANGE.match(value.strip())
    if not match:
        raise BookError("fence-range", f"`{value}`", "two texts in backticks with .. between them")
    return match["text1"].strip(), match["text2"].strip() if match["text2"] else None


def parse_body(fence: Fence) -> FenceBody:
    """Read the body of one of the book's own fences (those in :data:`GRAMMARS`)."""
    grammar = GRAMMARS[fence.language]
    lines = fence.body.split("\n")[:-1]
    where = fence.body_line
    subject = lines[0].strip() if lines else ""
    if not subject:
        raise BookError(
            "fence-subject",
            f"a {fence.language} fence that names nothing",
            "its subject on its first line",
            line=fence.line,
        )
    keys: dict[str, list[str]] = {}
    key_lines: dict[str, list[int]] = {}
    number = 1
    while number < len(lines) and lines[number].strip():
        line, at = lines[number], where + number
        match = _KEY.match(line)
        if not match:
            raise BookError(
                "fence-key", f"`{line.strip()}`", "`key: value`, or a blank line before annotations", line=at
            )
        key, value = match["key"], (match["value"] or "").strip()
        if key not in grammar.keys:
            raise BookError(
                "fence-key",
                f"the key `{key}` in a {fence.language} fence",
                "one of " + ", ".join(grammar.keys),
                nearest(key, grammar.keys),
                line=at,
            )
        if key in keys and key not in grammar.many:
            raise BookError("fence-key", f"the key `{key}` twice", "once", line=at)
        number += 1
        if key in grammar.blocks:
            keys[key], key_lines[key] = [], []
            while number < len(lines) and lines[number].startswith(" "):
                if key not in grammar.shapes and ": " not in lines[number].strip():
                    raise BookError(
                        "fence-key",
                        f"`{lines[number].strip()}` in `{key}`",
                        "`name: label`",
                        line=where + number,
                    )
                shaped = key in grammar.shapes
                keys[key].append(lines[number].rstrip() if shaped else lines[number].strip())
                key_lines[key].append(where + number)
                number += 1
            value = "\n".join(keys[key])
        else:
            keys.setdefault(key, []).append(value)
            key_lines.setdefault(key, []).append(at)
        if not value:
            raise BookError("fence-key", f"the key `{key}` with no value", f"`{key}: value`", line=at)
    annotations = _annotations(fence, grammar, lines, number)
    return FenceBody(subject, keys, annotations, key_lines)


def _annotations(fence: Fence, grammar: Grammar, lines: list[str], first: int) -> list[Annotation]:
    """What follows the blank line. A line that begins no annotation continues the one above it."""
    found: list[tuple[str | None, int | None, int, list[str], int, bool]] = []
    for number in range(first, len(lines)):
        line, at = lines[number], fence.body_line + number
        if line.strip() and not grammar.annotated:
            raise BookError(
                "fence-key",
                f"`{line.strip()}` after a blank line",
                f"nothing: {fence.language} takes no annotation",
                line=at,
            )
        if match := _ANNOTATION.match(line):
            found.append(
                (match["text1"].strip(), None, int(match["count"] or 1), [match["rest"] or ""], at, False)
            )
        elif match := _STEP.match(line):
            pattern = match["text1"].strip() if match["text1"] else None
            found.append((pattern, int(match["step"]), 1, [match["rest"]], at, bool(match["tree"])))
        elif _ALMOST.match(line):
            raise BookError(
                "annotation",
                f"`{line.strip()[:80]}`, which would continue the annotation above it",
                "`` `pattern`: text ``, with no blank before the colon and one after it",
                line=at,
            )
        elif found:
            found[-1][3].append(line)
        elif line.strip():
            raise BookError("annotation", f"`{line.strip()}`", "`` `pattern`: text `` or `1. text`", line=at)
    return [
        Annotation(pattern, step, count, _dedent(text), at, in_tree)
        for pattern, step, count, text, at, in_tree in found
    ]


def _dedent(text: list[str]) -> str:
    """Join an annotation's lines, its continuation lines without their common indentation."""
    rest = [line for line in text[1:] if line.strip()]
    margin = min((len(line) - len(line.lstrip()) for line in rest), default=0)
    return "\n".join([text[0], *(line[margin:] for line in text[1:])]).strip()
