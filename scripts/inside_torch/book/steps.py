"""The steps of a function that the release holds compiled only: their pseudo-code, what bears them out.

A line of pseudo-code is ours, but for the names before a parenthesis: those are callees, and the compiled
code says whether they are called, and in what order (:mod:`inside_torch.pins.calls`). So does a recorded
call path.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from inside_torch.book.fence_kinds import Annotation, ExcerptFence
from inside_torch.book.recording import SNIPPETS, PathRecording
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest
from inside_torch.pins.address import Address
from inside_torch.pins.facts import Facts, anchor, callee_is
from inside_torch.pins.lock import PinLock
from inside_torch.pins.resolve import Evidence, Pin, resolve
from inside_torch.pins.witness import Witness

#: Words before a parenthesis that call nothing.
KEYWORDS = (
    "if", "elif", "else", "while", "for", "each", "switch", "case", "return", "try", "catch", "assert",
    "raise", "in", "is", "not", "and", "or", "until", "unless", "with", "break", "continue",
    "of", "to", "from", "by", "as", "on", "at", "the", "a", "new",
)  # fmt: skip
#: What a remark behind a callee may say of a call that has no name in the compiled code, and what it means.
EXCUSES = {
    "inlined": "compiled into its caller",
    "virtual": "called through a table of virtual functions",
    "indirect": "called through a pointer or a std::function",
}
_LINE = re.compile(r"^(?P<step>\d+)?(?P<blank>\s+|$)(?P<text>.*?)(?:\s+#\s+(?P<remark>.*))?$")
_CALLEE = re.compile(r"(?<![\w:~])((?:\w+::)*(?:operator(?:\(\)|==)|~?\w+))(?:<[^()<>]*>)?\(")
_SPAN = re.compile(r"(?<!`)`((?:\w+::)*~?\w+)\(\)`(?!`)")


@dataclass(frozen=True)
class PseudoLine:
    """One line of pseudo-code."""

    step: int | None  # the step that begins here
    indent: int  # columns
    text: str
    remark: str  # what follows a #
    line: int  # of the fence's page

    @property
    def callees(self) -> list[str]:
        """The names that the line calls."""
        return [name for name in _CALLEE.findall(self.text) if name not in KEYWORDS]

    @property
    def excuse(self) -> str:
        """The word of :data:`EXCUSES` that its remark begins with."""
        word = re.split(r"\W", self.remark, maxsplit=1)[0]
        return word if word in EXCUSES else ""


def pseudo(block: ExcerptFence) -> list[PseudoLine]:
    """The pseudo-code of an excerpt, empty where it has none; raises :class:`BookError` where its steps are
    not those below it.
    """
    if not block.pseudo:
        return []
    margin = min(len(row.text) - len(row.text.lstrip()) for row in block.pseudo)
    # A number of two digits begins where one of a single digit does: what counts is the column of the text.
    found = []
    for row, line in ((said.text, said.line) for said in block.pseudo):
        match = _LINE.match(row[margin:]) if row[margin:][:1].isdigit() else _LINE.match(" " + row[margin:])
        if match is None or not match["text"]:
            raise BookError(
                "pseudo", f"`{row.strip()}`", "a step's number or none, blanks, pseudo-code", line=line
            )
        step = int(match["step"]) if match["step"] else None
        column = len(row) - len(row.lstrip(" 0123456789")) if step else len(row) - len(row.lstrip())
        found.append(PseudoLine(step, column, match["text"].strip(), (match["remark"] or "").strip(), line))
    left = min(one.indent for one in found)
    steps = [one.step for one in found if one.step is not None]
    wanted = [each.step for each in block.steps]
    if steps != wanted:
        raise BookError(
            "pseudo",
            f"the steps {', '.join(map(str, steps)) or 'none'} in the pseudo-code",
            f"those below it, in order: {', '.join(map(str, wanted)) or 'none'}",
            line=block.pseudo[0].line,
        )
    return [PseudoLine(o.step, o.indent - left, o.text, o.remark, o.line) for o in found]


def shape(block: ExcerptFence) -> list[tuple[int | None, int, list[str], str]]:
    """What a translation leaves of the pseudo-code: steps, columns, callees and the excuses behind them."""
    return [(one.step, one.indent, one.callees, one.excuse) for one in pseudo(block)]


@dataclass(frozen=True)
class Unit:
    """What is held against the code at once: a line of pseudo-code, or a step that has none."""

    step: int | None  # that it belongs to
    callees: tuple[str, ...]
    excuse: str
    asserts: Annotation | None  # the step that begins here, where it names an assertion
    line: int


def units(block: ExcerptFence) -> list[Unit]:
    """The units of an excerpt's steps, in order."""
    steps = {each.step: each for each in block.steps if each.step is not None}
    named = {number: each for number, each in steps.items() if each.pattern and not each.in_tree}
    lines = pseudo(block)
    if not lines:
        return [
            Unit(number, tuple(_SPAN.findall(each.text)), "", named.get(number), each.line)
            for number, each in steps.items()
        ]
    found, step = [], None
    for one in lines:
        step = one.step or step
        found.append(
            Unit(step, tuple(one.callees), one.excuse, named.get(one.step) if one.step else None, one.line)
        )
    return found


def spoken(block: ExcerptFence) -> list[tuple[str, int]]:
    """The callees that the words of steps name, ``f()`` in code type, with their lines."""
    return [(name, each.line) for each in block.steps for name in _SPAN.findall(each.text)]


def asserted(step: Annotation, witnesses: Sequence[Witness]) -> Witness | None:
    """The one assertion whose text holds a step's pattern."""
    pattern = " ".join((step.pattern or "").split())
    found = [each for each in witnesses if pattern and pattern in " ".join(each.text.split())]
    return found[0] if len(found) == 1 else None


#: What calls what on the recorded paths: address to the callees of each frame of it, in order.
Recorded = Mapping[str, Sequence[Sequence[str]]]


def recorded(root: Path) -> dict[str, list[list[str]]]:
    """The callees of every pinned frame on the book's call paths."""
    found: dict[str, list[list[str]]] = {}
    for file in sorted((root / SNIPPETS).rglob("*.path.json")):
        try:
            frames = PathRecording.load(file).frames
        except BookError:  # a rule of its own tells of it
            continue
        for place, frame in enumerate(frames):
            if not frame.pin:
                continue
            callees = []
            for other in frames[place + 1 :]:
                if other.thread != frame.thread:
                    continue
                if other.depth <= frame.depth:
                    break
                if other.depth == frame.depth + 1:
                    callees.append(other.symbol)
            found.setdefault(frame.pin, []).append(callees)
    return found


@dataclass
class Judgement:
    """What bears out the steps of one function.

    ``callees``: name to how it is found, ``recorded`` among them, or the excuse. ``ordered``: the steps of
    which something is proven to come where it stands; the others are ours alone.
    """

    callees: dict[str, str] = field(default_factory=dict)
    ordered: list[int] = field(default_factory=list)
    unordered: list[int] = field(default_factory=list)
    errors: list[BookError] = field(default_factory=list)


def judge(block: ExcerptFence, pin: Pin, facts: Facts | None, paths: Recorded) -> Judgement:
    """Hold the steps of one excerpt against what the compiled code and the recorded paths say of it."""
    found = Judgement()
    seen = paths.get(str(pin.address), ())
    parts = units(block)
    # What the code says has no order where it says nothing; names that stand twice are not told apart.
    names = [name for unit in parts for name in unit.callees]
    for name, line, excuse in _claims(block, parts):
        if facts is None or name not in facts.callees:
            found.errors.append(
                BookError(
                    "steps-lock",
                    f"`{name}`, of which calls.lock says nothing",
                    "`inside-torch lock`, which looks for it in the compiled code",
                    line=line,
                )
            )
            continue
        how = facts.callees[name]
        if how is None and any(callee_is(callee, name) for callees in seen for callee in callees):
            how = "recorded"
        if how == "call" and excuse:
            found.errors.append(
                BookError(
                    "step-callee", f"`{name}` is excused as {excuse}", "no excuse: it is called", line=line
                )
            )
        if how is None and not excuse:
            called = [callee for callees in seen for callee in callees]
            found.errors.append(
                BookError(
                    "step-callee",
                    f"`{name}` is not called by {pin.address.symbol}",
                    "a callee of it, as `inside-torch calls` lists them; or the remark `# inlined`, "
                    "`# virtual` or `# indirect` behind it",
                    nearest(name, [*called, *(n for n, h in facts.callees.items() if h)]),
                    line=line,
                )
            )
        found.callees[name] = how or excuse
    _order(found, parts, pin, facts or Facts(""), seen, {name for name in names if names.count(name) > 1})
    return found


def _claims(block: ExcerptFence, parts: Sequence[Unit]) -> Iterator[tuple[str, int, str]]:
    """Every callee that is named, with its line and excuse, each once."""
    told = {name: (unit.line, unit.excuse) for unit in reversed(parts) for name in unit.callees}
    for name, (line, excuse) in told.items():
        yield name, line, excuse
    for name, line in spoken(block):
        if name not in told and not any(callee_is(other, name) for other in told):
            yield name, line, ""


def _order(
    found: Judgement,
    parts: Sequence[Unit],
    pin: Pin,
    facts: Facts,
    seen: Sequence[Sequence[str]],
    doubled: set[str],
) -> None:
    """Which units are proven to stand in their order, and which stand in the wrong one."""
    told: dict[int, bool] = {each.step: False for each in parts if each.step is not None}
    earlier: list[tuple[Unit, list[str], int | None]] = []
    for unit in parts:
        witness = asserted(unit.asserts, pin.witnesses) if unit.asserts else None
        line = witness.line if witness else None
        anchors = [name for name in unit.callees if name not in doubled]
        anchors += [anchor(line)] if line else []
        borne_out = bool(anchors) and not earlier
        for before, its_anchors, its_line in earlier:
            if line and its_line:
                if its_line >= line:
                    found.errors.append(_swapped(unit, before, f"line {line}", f"line {its_line}"))
                borne_out |= its_line < line
            for one in its_anchors:
                for other in anchors:
                    if (other, one) in facts.before:
                        found.errors.append(_swapped(unit, before, other, one))
                    elif (one, other) in facts.before:
                        borne_out = True
                    else:
                        order = _recorded_order(one, other, seen)
                        if order < 0:
                            found.errors.append(_swapped(unit, before, other, one))
                        borne_out |= order > 0
        if anchors:
            earlier.append((unit, anchors, line))
        if unit.step is not None and borne_out:
            told[unit.step] = True
    found.ordered = [step for step, proven in told.items() if proven]
    found.unordered = [step for step, proven in told.items() if not proven]


def _recorded_order(one: str, other: str, seen: Sequence[Sequence[str]]) -> int:
    """1 where every recorded frame that calls both calls ``one`` first, -1 where ``other``, else 0."""
    orders = set()
    for callees in seen:
        first = next((n for n, callee in enumerate(callees) if callee_is(callee, one)), None)
        second = next((n for n, callee in enumerate(callees) if callee_is(callee, other)), None)
        if first is not None and second is not None and first != second:
            orders.add(1 if first < second else -1)
    return orders.pop() if len(orders) == 1 else 0


def _swapped(unit: Unit, before: Unit, later: str, earlier: str) -> BookError:
    return BookError(
        "step-order",
        f"{later} stands after {earlier} (step {before.step}), and comes before it in the code",
        "the order of the code",
        line=unit.line,
    )


def against_tree(book: Book, pins: PinLock, evidence: Evidence) -> list[BookError]:
    """The step texts (``at `text`:``) that a source tree does not have on one line of their function."""
    wrong = []
    for page in book.sound:
        for block in page.of(ExcerptFence):
            texts = [each for each in block.annotations if each.in_tree]
            if not texts or str(Address.parse(block.subject)) not in pins:
                continue
            source = evidence.tree.read(Address.parse(block.subject).path) if evidence.tree else None
            if source is None:
                continue
            pin = resolve(block.subject, evidence.remembering(pins.pin(block.subject)))
            lines = source.lines[(pin.first or 1) - 1 : pin.last]
            for step in texts:
                pattern = " ".join((step.pattern or "").split())
                found = sum(pattern in " ".join(line.split()) for line in lines)
                if found != 1:
                    wrong.append(
                        page.fault(
                            "step-text",
                            step.line,
                            f"`{step.pattern}` is on {found} lines of {pin.address.symbol} in the tree",
                            "a text of one line",
                        )
                    )
    return wrong


def wanted(book: Book, pins: PinLock) -> dict[str, tuple[set[str], set[int]]]:
    """Of each function, by address, the callees and the assertions' lines that excerpts name in steps."""
    found: dict[str, tuple[set[str], set[int]]] = {}
    for page in book.sound:
        for block in page.of(ExcerptFence):
            if not block.steps:
                continue
            address = str(Address.parse(block.subject))
            if address not in pins:
                continue
            try:
                parts = units(block)
            except BookError:  # a rule tells of it
                continue
            names, lines = found.setdefault(address, (set(), set()))
            names.update(name for name, _, _ in _claims(block, parts))
            witnesses = pins.pin(address).witnesses
            seen = (asserted(unit.asserts, witnesses) for unit in parts if unit.asserts)
            lines.update(witness.line for witness in seen if witness)
    return {address: each for address, each in found.items() if each[0]}
