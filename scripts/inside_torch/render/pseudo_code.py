"""The steps of a compiled function: as pseudo-code, or beside the lines of a source tree."""

from __future__ import annotations

import html
import re
from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import Annotation, ExcerptFence
from inside_torch.book.steps import KEYWORDS, Judgement, PseudoLine, asserted, units
from inside_torch.errors import BookError
from inside_torch.pins.address import collapse
from inside_torch.pins.names import last
from inside_torch.pins.release import permalink
from inside_torch.pins.tree import LOG
from inside_torch.pins.witness import Witness
from inside_torch.render import code
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element
from inside_torch.render.pin_index import Source

_TOKEN = re.compile(r"(?P<call>(?:\w+::)*~?\w+)(?=(?:<[^()<>]*>)?\()|(?P<word>\w+)|(?P<text>\"[^\"]*\")")


def draw_pseudo(
    canvas: Canvas,
    source: Source,
    lines: list[PseudoLine],
    steps: list[Annotation],
    judged: Judgement,
) -> Element:
    """The pseudo-code, with the numbers of steps and of proven lines in its gutter, remarks beside it."""
    by_number = {step.step: step for step in steps}
    listed = code.Listing([])
    for number, line in enumerate(lines, 1):
        step = by_number.get(line.step)
        witness = asserted(step, source.pin.witnesses) if step and not step.in_tree else None
        listed.lines.append(
            code.CodeLine(
                number, line.text, _coloured(canvas, line, judged), line.indent,
                gutter=_gutter(source, line, witness),
            )
        )  # fmt: skip
        if step is not None:
            listed.notes.append((step, [number]))
        if step is not None and step.step and witness is not None and witness.text:
            listed.asserted[step.step] = witness.text
    drawn = code.draw(canvas.md, listed, canvas.labels)
    drawn.set("class", f"{drawn.get('class')} it-pseudo")
    digits = max((len(str(witness.line)) for witness in source.pin.witnesses), default=2)
    drawn.set("style", f"--it-digits:{digits}")
    return drawn


def _gutter(source: Source, line: PseudoLine, witness: Witness | None) -> str:
    """The proven line, linked, and the step that begins here."""
    number = '<span class="it-no" data-search-exclude="true"></span>'
    if witness is not None:
        href = html.escape(permalink(source.address.path, witness.line))
        number = (
            f'<a class="it-no" data-search-exclude="true" href="{href}" target="_blank" rel="noopener"'
            f' tabindex="-1">{witness.line}</a>'
        )
    chip = f'<span class="it-chip">{line.step}</span>' if line.step is not None else ""
    return number + chip


def _coloured(canvas: Canvas, line: PseudoLine, judged: Judgement) -> str:
    """A line of pseudo-code as highlighted HTML; a callee says how it is proven."""
    parts, end = [f'<span class="it-in">{" " * line.indent}</span>' if line.indent else ""], 0
    for match in _TOKEN.finditer(line.text):
        parts.append(html.escape(line.text[end : match.start()]))
        shown, end = html.escape(match[0]), match.end()
        if match["text"]:
            shown = f'<span class="s2">{shown}</span>'
        elif match["call"] and match["call"] not in KEYWORDS:
            how = judged.callees.get(match["call"])
            title = f' title="{html.escape(canvas.labels(f"callee-{how}"))}"' if how else ""
            shown = f'<span class="nf"{title}>{shown}</span>'
        elif match[0] in _CONTROL:
            shown = f'<span class="k">{shown}</span>'
        parts.append(shown)
    parts.append(html.escape(line.text[end:]))
    if line.remark:
        parts.append(f'  <span class="c1"># {html.escape(line.remark)}</span>')
    return "".join(parts)


#: The words that say which way the code takes.
_CONTROL = {
    "if", "elif", "else", "while", "for", "switch", "case", "return", "try", "catch", "assert", "raise",
    "break", "continue", "until",
}  # fmt: skip


def borne_out(canvas: Canvas, judged: Judgement) -> Element | None:
    """Of which steps the compiled code bears out the order; None where there is but one step."""
    if len(judged.ordered) + len(judged.unordered) < 2:
        return None
    name = "steps-all" if not judged.unordered else "steps-some" if judged.ordered else "steps-none"
    text = canvas.labels(name, steps=_numbers(judged.ordered), others=_numbers(judged.unordered))
    return element("p", "it-borne-out", text)


def _numbers(steps: list[int]) -> str:
    """``1–4, 7``."""
    runs: list[list[int]] = []
    for step in steps:
        if runs and step == runs[-1][-1] + 1:
            runs[-1].append(step)
        else:
            runs.append([step])
    return ", ".join(str(run[0]) if len(run) == 1 else f"{run[0]}\u2013{run[-1]}" for run in runs)


def place(canvas: Canvas, listed: code.Listing, source: Source, block: ExcerptFence) -> None:
    """Put each step beside its line of the source tree: that of its assertion, its text, what it calls.

    One with no line stands after the one before it; so does one that does not match the code, which is told.
    """
    steps = block.steps
    callees: dict[int | None, list[str]] = {}
    for unit in units(block):
        callees.setdefault(unit.step, []).extend(unit.callees)
    named = {step.step: _named(canvas, listed, source, step) for step in steps}
    previous: int | None = None
    for place, step in enumerate(steps):
        line = named[step.step]
        if line is not None and previous is not None and line < previous:
            _tell(canvas, step, f"step {step.step} names line {line}, above that of the step before it")
            line = None
        if line is None:
            ahead = (named[other.step] for other in steps[place + 1 :])
            until = next((one for one in ahead if one is not None), None)
            line = _calling(listed, callees.get(step.step, []), previous, until)
        shown = line or previous or listed.lines[0].number
        listed.notes.append((step, [shown]))
        previous = shown


def _named(canvas: Canvas, listed: code.Listing, source: Source, step: Annotation) -> int | None:
    """The line that a step names, by its assertion or its text; None, and said so, where there is none."""
    if step.pattern is None:
        return None
    if not step.in_tree and (witness := asserted(step, source.pin.witnesses)):
        return witness.line
    pattern = collapse(step.pattern)
    found = [line.number for line in listed.lines if pattern in collapse(line.text)]
    if len(found) == 1:
        return found[0]
    _tell(canvas, step, f"`{step.pattern}` is on {len(found)} lines of the source tree, not on one")
    return None


def _calling(listed: code.Listing, names: list[str], previous: int | None, until: int | None) -> int | None:
    """The first line, between those of the steps around, that calls what the step calls."""
    for name in names:
        call = re.compile(rf"(?<!\w){re.escape(last(name))}\s*(?:<[^()]*>)?\(")
        for line in listed.lines[1:]:
            inside = (previous is None or line.number >= previous) and (until is None or line.number <= until)
            if inside and call.search(line.text):
                return line.number
    return None


def _tell(canvas: Canvas, step: Annotation, found: str) -> None:
    """Say what does not match, with the page and line; the page is built all the same."""
    try:
        with canvas.page.at(step.line):
            raise BookError(
                "step-text", found, "a text of one line; the step stands in order", line=step.line
            )
    except BookError as error:
        LOG.warning("%s", error)
