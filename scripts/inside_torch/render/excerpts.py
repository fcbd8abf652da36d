"""Excerpts: pinned text at its true line numbers, or the lines that the release proves."""

from __future__ import annotations

import re
from xml.etree.ElementTree import Element

from inside_torch.book.fence_kinds import Annotation, ExcerptFence
from inside_torch.book.steps import judge, pseudo
from inside_torch.errors import BookError, nearest
from inside_torch.pins.address import collapse
from inside_torch.pins.release import permalink
from inside_torch.pins.witness import Witness
from inside_torch.render import code, drift_marks
from inside_torch.render.canvas import Canvas
from inside_torch.render.elements import element, extend, link
from inside_torch.render.notes import write
from inside_torch.render.pin_index import Source
from inside_torch.render.pseudo_code import borne_out, draw_pseudo, place

# What stands in an expression or a name of the code and in no scrap of a sentence.
_CODE = re.compile(r"[_=<>!&|\[\]]|\w\(|\w\.\w|::|->")
_WORD = re.compile(r"[^\W\d_]{2,}")
#: Proven lines above this number are folded.
MANY = 4


def draw(canvas: Canvas, block: ExcerptFence) -> Element:
    """The figure of one excerpt fence."""
    with canvas.page.at(block.fence.body_line):
        source = canvas.sources.look(block.subject)
        # Of a function whose lines nothing proves, the compiled code still proves what it calls.
        if source.pin.first is None and not (source.address.symbol and pseudo(block)):
            raise BookError(
                "excerpt-subject", f"the whole file {source.address.path}", "a symbol or a line of it"
            )
    figure = element(
        "figure",
        "it-excerpt",
        id=block.id or None,
        data_evidence="generated" if source.pin.generated else source.evidence,
    )
    text = source.excerpt
    steps = block.steps
    if text is None:
        if len(steps) != len(block.annotations):
            loose = next(annotation for annotation in block.annotations if annotation.step is None)
            raise BookError(
                "excerpt-no-text",
                f"an annotation on `{loose.pattern}`, a line of a file that the release does not hold",
                "numbered steps",
                line=loose.line,
            )
        if spans := [*block.shows, *block.folds]:
            raise BookError(
                "excerpt-no-text",
                f"`{'show' if block.shows else 'fold'}` on a file that the release does not hold",
                "numbered steps alone",
                line=spans[0].line,
            )
        figure.append(header(canvas, source, source.pin.first, source.pin.last))
        judged = judge(
            block, source.pin, canvas.sources.facts.get(str(source.address)), canvas.sources.recorded
        )
        if lines := pseudo(block):
            figure.append(element("p", "it-no-text", canvas.labels("no-text-pseudo")))
            figure.append(draw_pseudo(canvas, source, lines, steps, judged))
        else:
            figure.append(element("p", "it-no-text", canvas.labels("no-text")))
        return extend(figure, *_steps(canvas, source, steps, listed=not lines), borne_out(canvas, judged))
    listed = code.listing(list(enumerate(text.lines, text.first)), text.language, source.file_href)
    for named, narrowing in ((block.shows, code.narrow), (block.folds, code.fold)):
        for span in named:
            with canvas.page.at(span.line):
                narrowing(listed, span)
    code.attach(listed, [annotation for annotation in block.annotations if annotation.step is None])
    if steps and source.evidence == "tree":
        place(canvas, listed, source, block)
        steps = []
    figure.append(header(canvas, source, listed.lines[0].number, listed.lines[-1].number))
    shown = code.draw(canvas.md, listed, canvas.labels)
    # Searched for is where the code stands and what it is called: what it says is not ours. The indexer ends
    # what it leaves out at the first element of the same name.
    shown.tag = "section"
    shown.set("data-search-exclude", "true")
    figure.append(shown)
    if steps:
        extend(figure, *_steps(canvas, source, steps))
    return figure


def header(canvas: Canvas, source: Source, first: int | None, last: int | None) -> Element:
    """Where the lines stand, what proves them, whose they are."""
    labels, path = canvas.labels, source.address.path
    folder, _, name = path.rpartition("/")
    where: list[Element | str] = [
        element("span", "it-folder", f"{folder}/" if folder else ""),
        element("span", "it-file", name),
        " ",  # what is searched for has no style
        element("span", "it-range", labels.range(first, last)),
    ]
    title = source.title(labels)
    if source.pin.generated:
        place = element("span", "it-where", *where, title=title)
    else:
        place = link("it-where", permalink(path, first, last), *where, title=title)
    if source.address.symbol:
        extend(place, " ", element("span", "it-name", element("code", "", source.address.symbol)))
    said = drift_marks.mark(canvas, source)
    opens = said is not None and said.tag == "details"
    marks = badge(canvas, source), None if opens else said, _credit(canvas)
    meta = element("div", "it-meta", *marks, data_search_exclude="true")
    return element("figcaption", "it-head", place, meta, said if opens else None)


def badge(canvas: Canvas, source: Source) -> Element:
    """What proves a place, in a word."""
    labels, pin = canvas.labels, source.pin
    if pin.generated:
        return element(
            "span", "it-badge it-badge--generated", labels("generated"), title=labels("generated-title")
        )
    name = source.evidence
    lines = [str(witness.line) for witness in (pin.witnesses or pin.around)]
    text = labels("witnesses" if name == "witness" and len(lines) > 1 else name, count=len(lines))
    title = labels(f"{name}-title", lines=", ".join(lines))
    return element("span", f"it-badge it-badge--{name}", text, title=title)


def _credit(canvas: Canvas) -> Element:
    labels = canvas.labels
    if canvas.notice is None:
        return element("span", "it-credit", labels("credit"), title=labels("credit-title"))
    return element("a", "it-credit", labels("credit"), href=canvas.notice, title=labels("credit-title"))


def _steps(canvas: Canvas, source: Source, steps: list[Annotation], listed: bool = True) -> list[Element]:
    """Our numbered explanation, each step with the line that proves it, and the proven lines of no step."""
    witnesses = list(source.pin.witnesses)
    told = set()
    items = element("ol", "it-steps")
    for number, step in enumerate(steps, 1):
        if step.step != number:
            raise BookError("annotation-step", f"step {step.step}", f"step {number}", line=step.line)
        item = element("li", "it-step")
        if step.pattern is not None and not step.in_tree:
            pattern = collapse(step.pattern)
            found = [witness for witness in witnesses if pattern in collapse(witness.text)]
            if len(found) != 1:
                texts = [witness.text for witness in (found or witnesses)]
                raise BookError(
                    "annotation-match",
                    f"`{step.pattern}` is in {len(found)} of the proven lines",
                    "1",
                    nearest(step.pattern, texts) or "; ".join(texts[:3]),
                    line=step.line,
                )
            told.add(found[0])
            item.append(_witness(source, found[0], "div"))
        item.append(write(canvas.md, element("div", "it-step-text"), step.text))
        items.append(item)
    drawn = [items] if steps and listed else []
    rest = [witness for witness in witnesses if witness not in told]
    if rest:
        drawn.append(_proven(canvas, source, rest))
    return drawn


def _proven(canvas: Canvas, source: Source, witnesses: list[Witness]) -> Element:
    """The proven lines that no step tells of; folded where they are many."""
    telling = [each for each in witnesses if tells(each.text)]
    listed = element("ul", "it-proven", *[_witness(source, each, "li") for each in telling])
    # Of an assertion whose text is put together at run time only the line is known, or a scrap of the text.
    if bare := [each for each in witnesses if not tells(each.text)]:
        item = element("li", "it-witness it-witness--bare")
        for each in bare:
            item.append(_number(source, each))
        listed.append(item)
    title = canvas.labels("proven-lines", count=len(witnesses))
    many = len(listed) > MANY
    summary = element("summary" if many else "p", "it-proven-title", title)
    return element("details" if many else "div", "it-others", summary, listed)


def tells(text: str) -> bool:
    """Whether a witness's text says something by itself: an expression, a name of the code, three words.

    A message that is put together at run time leaves scraps such as ``but got`` or ``Function '``.
    """
    return bool(_CODE.search(text)) or len(_WORD.findall(text)) >= 3


def _witness(source: Source, witness: Witness, tag: str) -> Element:
    """A line that the release proves: its number, linked, and the assertion that stands on it."""
    shown = element("code", "", witness.text) if witness.text else None
    return element(tag, "it-witness", _number(source, witness), shown)


def _number(source: Source, witness: Witness) -> Element:
    return link("it-no", permalink(source.address.path, witness.line), str(witness.line))
