"""The fences of a page: where they are, their language, options and text.

``scan`` follows the same grammar as pymdownx.superfences, which draws the pages: a fence is closed by a line
that repeats its opening characters exactly, it may be indented inside a list or an admonition or quoted
with ``>``, and four blanks more than its container make it code that shows a fence, not a fence.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from inside_torch.errors import BookError


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
