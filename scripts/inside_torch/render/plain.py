"""A page as plain Markdown with nothing left to look up: excerpts, outputs and numbers in their places."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from inside_torch.book.fences import Fence, FenceBody, parse_body, scan
from inside_torch.book.language import split_front
from inside_torch.book.link_grammar import TARGET, target
from inside_torch.book.recording import Output, Program, Results
from inside_torch.book.steps import pseudo
from inside_torch.pins.release import permalink
from inside_torch.releases.descriptions import touched
from inside_torch.render import code, descriptions
from inside_torch.render.claims import Footnotes
from inside_torch.render.labels import Labels
from inside_torch.render.measurements import MEASURED, number
from inside_torch.render.paths import recording
from inside_torch.render.pin_index import PinIndex, Source
from inside_torch.render.plain_lists import LISTS, written
from inside_torch.render.programs import find_file, read_lines, regions

_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINKED = re.compile(rf"\]{TARGET.pattern}")
_ID = re.compile(r"^(#{1,6} .*?)[ \t]*\{#[\w-]+\}[ \t]*$", re.MULTILINE)
_CLICK = re.compile(r'^\s*(?:click\s+\S+\s+href\s+".*"|links?\s+\S+:.*@.*)\n', re.MULTILINE)
_MARKER = re.compile(r"^\s*(?:#|//)\s*(?:end)?region\b.*$")


def plain(root: Path, text: str, slug: str = "", language: str = "en") -> str:
    """The text of a page, front matter and all, as Markdown that any reader understands.

    Links to other pages lead to their plain copies, ``src:`` links to the lines at the pinned commit; the
    claims of the article ``slug`` are footnotes. ``slug`` is the page's path without its ending.
    """
    notes = Footnotes(root, slug, Labels(language))
    sources = PinIndex(root)
    front, body = split_front(text)
    lines = body.split("\n")
    done: list[str] = []
    at = 0
    for fence in scan(body):
        done.append(_prose(sources, "\n".join(lines[at : fence.line - 1]), notes))
        if fence.language in LISTS:
            done.append(written(root, language, slug.count("/"), fence))
        else:
            done.append(notes.marked(_fence(root, sources, fence)))
        at = fence.last_line
    done.append(_prose(sources, "\n".join(lines[at:]), notes))
    question = re.search(r"^question:\s*(.+)$", front, re.MULTILINE)
    asked = f"> {question[1].strip(chr(34))}\n\n" if question else ""
    whole = "\n".join(done) + notes.text()
    head, _, rest = whole.lstrip("\n").partition("\n")
    if not head.startswith("# "):
        return whole
    return f"{head}\n\n{asked}{rest.strip()}\n"


def _prose(sources: PinIndex, text: str, notes: Footnotes | None = None) -> str:
    """Prose with its links and numbers resolved; what stands in code spans stays."""
    kept: list[str] = []

    def keep(match: re.Match[str]) -> str:
        kept.append(match[0])
        return f"\0{len(kept) - 1}\0"

    text = _CODE_SPAN.sub(keep, text)
    text = notes.marked(text) if notes else text
    text = re.sub(r"\0(\d+)\0", lambda match: kept[int(match[1])], _LINKED.sub(_linked(sources, kept), text))
    parts, end = [], 0
    for span in _CODE_SPAN.finditer(text):
        parts += [_resolved(sources.root, text[end : span.start()]), span[0]]
        end = span.end()
    return "".join([*parts, _resolved(sources.root, text[end:])])


def _linked(sources: PinIndex, kept: list[str]) -> Callable[[re.Match[str]], str]:
    def link(match: re.Match[str]) -> str:
        address = re.sub(r"\0(\d+)\0", lambda one: kept[int(one[1])], target(match))
        if not address.startswith("src:"):
            return match[0]
        source = sources.look(address)
        return (
            f"]({source.pin.permalink})" if source.pin.permalink else f"] ({source.address.path}, generated)"
        )

    return link


def _resolved(root: Path, text: str) -> str:
    def value(match: re.Match[str]) -> str:
        return number(Results.load(Program.find(root, match[1]).results), match[2], match[3] or "")

    text = re.sub(MEASURED, value, text)
    return _ID.sub(r"\1", text)


def _fence(root: Path, sources: PinIndex, fence: Fence) -> str:
    """What a fence shows, each line with the indentation that the fence has."""
    writer = WRITERS.get(fence.language)
    if writer is not None:
        told = writer(root, sources, parse_body(fence))
    elif fence.language == "mermaid":
        told = block("mermaid", _CLICK.sub("", fence.body))
    else:
        told = block(fence.language, fence.body)
    return "\n".join(f"{fence.indent}{line}".rstrip() for line in told.split("\n"))


def block(language: str, text: str) -> str:
    """A fenced block whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def _notes(sources: PinIndex, notes: list[tuple[str, str]]) -> str:
    """A list of remarks, each behind what it speaks of."""
    told = [f"- {place}: {_prose(sources, ' '.join(text.split()))}" for place, text in notes]
    return "\n\n" + "\n".join(told) if told else ""


def _excerpt(root: Path, sources: PinIndex, body: FenceBody) -> str:
    source = sources.look(body.subject)
    text = source.excerpt
    if text is None:
        steps = [f"{step.step}. {_prose(sources, ' '.join(step.text.split()))}" for step in body.annotations]
        head = _head(source, source.pin.first, source.pin.last)
        shape = [
            f"{one.step or '':>2}  {' ' * one.indent}{one.text}{f'  # {one.remark}' if one.remark else ''}"
            for one in pseudo(body)
        ]
        shown = f"{block('text', chr(10).join(shape))}\n\n" if shape else ""
        return f"{head}\n\n{shown}" + "\n".join(steps) + _changed(sources, source)
    listed = code.listing(list(enumerate(text.lines, text.first)), text.language)
    for value in body.keys.get("show", ()):
        code.narrow(listed, value)
    numbered = [one for one in body.annotations if one.step is not None]
    code.attach(listed, [one for one in body.annotations if one.step is None])
    head = _head(source, listed.lines[0].number, listed.lines[-1].number)
    shown = block(text.language, "\n".join(line.text for line in listed.lines))
    notes = [(f"line {numbers[0]}", one.text) for one, numbers in listed.notes]
    notes += [(f"step {one.step}", one.text) for one in numbered]
    return f"{head}\n\n{shown}{_notes(sources, notes)}{_changed(sources, source)}"


def _changed(sources: PinIndex, source: Source) -> str:
    """What other releases changed here."""
    return "".join(f"\n\n{line}" for line in descriptions.plain(source, sources.described()))


def _head(source: Source, first: int | None, last: int | None) -> str:
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    name = f" `{source.address.symbol}`" if source.address.symbol else ""
    if source.pin.generated:
        return f"`{source.address.path}`, {lines} (generated):{name}"
    return f"[`{source.address.path}`, {lines}]({permalink(source.address.path, first, last)}):{name}"


def _program(root: Path, sources: PinIndex, body: FenceBody) -> str:
    file = find_file(root, body.subject)
    numbered = read_lines(file)
    if section := body.one("section"):
        first, last = regions(file, numbered, section)
        numbered = numbered[first - 1 : last]
    shown = "\n".join(line for _, line in numbered if not _MARKER.match(line))
    notes = [(f"`{one.pattern}`", one.text) for one in body.annotations]
    return f"`snippets/{body.subject}`:\n\n{block(file.suffix[1:], shown)}{_notes(sources, notes)}"


def _output(root: Path, sources: PinIndex, body: FenceBody) -> str:
    program = Program.find(root, body.subject)
    shown = block("text", Output.load(program.output).text)
    return f"`python {program.source.relative_to(root).as_posix()}` prints:\n\n{shown}"


def _path(root: Path, sources: PinIndex, body: FenceBody) -> str:
    path = recording(root, body.subject)
    calls = "\n".join(f"{'  ' * frame.depth}{frame.symbol}" for frame in path.frames)
    notes = [(f"`{one.pattern}`", one.text) for one in body.annotations]
    return (
        f"Calls of `{path.program}`, recorded with torch {path.release} ({path.build}):\n\n"
        f"{block('text', calls)}{_notes(sources, notes)}"
    )


def _measurements(root: Path, sources: PinIndex, body: FenceBody) -> str:
    results = Results.load(Program.find(root, body.subject).results)
    rows = body.rows or {name: name for name in results.values}
    table = [f"| {label} | {number(results, name, '')} |" for name, label in rows.items()]
    told = f"Measured with torch {results.build} on {results.machine}, {results.date}."
    return "\n".join(["| quantity | value |", "|---|---|", *table, "", told])


def _exercise(root: Path, sources: PinIndex, body: FenceBody) -> str:
    task = find_file(root, f"{body.subject}/exercise.py")
    return f"`snippets/{body.subject}/exercise.py`:\n\n{block('python', task.read_text(encoding='utf-8'))}"


def _drift(root: Path, sources: PinIndex, body: FenceBody) -> str:
    described = sources.described()
    one = next((each for each in described.kept if each.version == body.subject), None)
    if one is None:
        return ""
    told: dict[str, list[str]] = {}
    for pin in sources.pins():
        drift = one.of(pin)
        if drift is not None and touched(drift):
            found = described.of(one, drift.address)
            what = found[0].what if found else "Not described."
            told.setdefault(what, []).append(f"`{drift.address}` ({drift.state})")
    return "\n".join(f"- {what}\n" + "\n".join(f"    - {pin}" for pin in pins) for what, pins in told.items())


WRITERS: dict[str, Callable[[Path, PinIndex, FenceBody], str]] = {
    "excerpt": _excerpt,
    "program": _program,
    "output": _output,
    "path": _path,
    "measurements": _measurements,
    "exercise": _exercise,
    "drift": _drift,
}
