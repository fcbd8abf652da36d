"""What a fence shows, and prose, as Markdown with nothing left to look up."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from inside_torch.book.fence_kinds import (
    DiagramFence,
    DriftFence,
    ExcerptFence,
    ExerciseFence,
    MeasurementsFence,
    OutputFence,
    PathFence,
    ProgramFence,
)
from inside_torch.book.link_grammar import TARGET, target
from inside_torch.book.recording import Output, Program, Results
from inside_torch.book.regions import shown
from inside_torch.book.steps import pseudo
from inside_torch.pins.release import permalink
from inside_torch.releases.descriptions import touched
from inside_torch.render import change_words, code, dry_mark
from inside_torch.render.canvas import Canvas
from inside_torch.render.claim_marks import Footnotes
from inside_torch.render.measurements import MEASURED, rows_of
from inside_torch.render.paths import recording
from inside_torch.render.pin_index import PinIndex, Source
from inside_torch.render.program_figures import find_file

_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)", re.DOTALL)
_LINKED = re.compile(rf"\]{TARGET.pattern}")
_ID = re.compile(r"^(#{1,6} .*?)[ \t]*\{#[\w-]+\}[ \t]*$", re.MULTILINE)
_CLICK = re.compile(r'^\s*(?:click\s+\S+\s+href\s+".*"|links?\s+\S+:.*@.*)\n', re.MULTILINE)


def prose(sources: PinIndex, text: str, notes: Footnotes | None = None) -> str:
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
        return Results.load(Program.find(root, match[1]).results).shown(match[2], match[3] or "")

    text = re.sub(MEASURED, value, text)
    return _ID.sub(r"\1", text)


def diagram(canvas: Canvas, block: DiagramFence) -> str:
    """The diagram without its links, which not every reader of Mermaid takes."""
    return fenced("mermaid", _CLICK.sub("", block.fence.body))


def fenced(language: str, text: str) -> str:
    """A fenced block whose fence is longer than any in it."""
    longest = max((len(run) for run in re.findall(r"^\s*(`{3,})", text, re.MULTILINE)), default=2)
    ticks = "`" * (longest + 1)
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def _notes(sources: PinIndex, notes: list[tuple[str, str]]) -> str:
    """A list of remarks, each behind what it speaks of."""
    told = [f"- {place}: {prose(sources, ' '.join(text.split()))}" for place, text in notes]
    return "\n\n" + "\n".join(told) if told else ""


def excerpt(canvas: Canvas, block: ExcerptFence) -> str:
    """Its lines with their remarks, or the steps of a function whose text is not shipped."""
    source = canvas.sources.look(block.subject)
    text = source.excerpt
    if text is None:
        words = [(step.step, " ".join(step.text.split())) for step in block.annotations]
        steps = [f"{number}. {prose(canvas.sources, said)}" for number, said in words]
        head = _head(source, source.pin.first, source.pin.last)
        shape = [
            f"{one.step or '':>2}  {' ' * one.indent}{one.text}{f'  # {one.remark}' if one.remark else ''}"
            for one in pseudo(block)
        ]
        shown = f"{fenced('text', chr(10).join(shape))}\n\n" if shape else ""
        return f"{head}\n\n{shown}" + "\n".join(steps) + _changed(canvas.sources, source)
    listed = code.quoted(text, block.shows)
    code.attach(listed, [one for one in block.annotations if one.step is None])
    head = _head(source, listed.lines[0].number, listed.lines[-1].number)
    shown = fenced(text.language, "\n".join(line.text for line in listed.lines))
    notes = [(f"line {numbers[0]}", one.text) for one, numbers in listed.notes]
    notes += [(f"step {one.step}", one.text) for one in block.steps]
    return f"{head}\n\n{shown}{_notes(canvas.sources, notes)}{_changed(canvas.sources, source)}"


def _changed(sources: PinIndex, source: Source) -> str:
    """What other releases changed here."""
    return "".join(f"\n\n{line}" for line in change_words.plain(source, sources.described()))


def _head(source: Source, first: int | None, last: int | None) -> str:
    lines = f"line {first}" if first == last else f"lines {first}-{last}"
    name = f" `{source.address.symbol}`" if source.address.symbol else ""
    if source.pin.generated:
        return f"`{source.address.path}`, {lines} (generated):{name}"
    return f"[`{source.address.path}`, {lines}]({permalink(source.address.path, first, last)}):{name}"


def program(canvas: Canvas, block: ProgramFence) -> str:
    """A file, or a section of it, with its remarks."""
    file = find_file(canvas.root, block.subject)
    lines = shown(file, block.section.text if block.section else "")
    text = "\n".join(line for _, line in lines)
    notes = [(f"`{one.pattern}`", one.text) for one in block.annotations]
    return f"`snippets/{block.subject}`:\n\n{fenced(file.suffix[1:], text)}{_notes(canvas.sources, notes)}"


def output(canvas: Canvas, block: OutputFence) -> str:
    """What a program printed."""
    program = Program.find(canvas.root, block.subject)
    shown = fenced("text", Output.load(program.output).text)
    told = f"\n\n{dry_mark.markdown(canvas)}" if "dry" in block.devices else ""
    return f"`python {program.source.relative_to(canvas.root).as_posix()}` prints:\n\n{shown}{told}"


def path(canvas: Canvas, block: PathFence) -> str:
    """The recorded calls."""
    path = recording(canvas.root, block.subject)
    calls = "\n".join(f"{'  ' * frame.depth}{frame.symbol}" for frame in path.frames)
    notes = [(f"`{one.pattern}`", one.text) for one in block.annotations]
    told = f"{dry_mark.markdown(canvas)} " if path.device == "dry" else ""
    return (
        f"{told}Calls of `{path.program}`, recorded with torch {path.release} ({path.build}):\n\n"
        f"{fenced('text', calls)}{_notes(canvas.sources, notes)}"
    )


def measurements(canvas: Canvas, block: MeasurementsFence) -> str:
    """The recorded numbers as a table."""
    results = Results.load(Program.find(canvas.root, block.subject).results)
    table = [f"| {row.label} | {results.shown(row.name)} |" for row in rows_of(block, results)]
    told = f"Measured with torch {results.build} on {results.machine}, {results.date}."
    return "\n".join(["| quantity | value |", "|---|---|", *table, "", told])


def exercise(canvas: Canvas, block: ExerciseFence) -> str:
    """The file with the hole."""
    task = find_file(canvas.root, f"{block.subject}/exercise.py")
    return f"`snippets/{block.subject}/exercise.py`:\n\n{fenced('python', task.read_text(encoding='utf-8'))}"


def drift(canvas: Canvas, block: DriftFence) -> str:
    """What a release changed, in words."""
    described = canvas.sources.described()
    one = next((each for each in described.kept if each.version == block.subject), None)
    if one is None:
        return ""
    told: dict[str, list[str]] = {}
    for pin in canvas.sources.pins():
        drift = one.of(pin)
        if drift is not None and touched(drift):
            found = described.of(one, drift.address)
            what = found[0].what if found else "Not described."
            told.setdefault(what, []).append(f"`{drift.address}` ({drift.state})")
    return "\n".join(f"- {what}\n" + "\n".join(f"    - {pin}" for pin in pins) for what, pins in told.items())
