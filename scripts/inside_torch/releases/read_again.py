"""What a person must read again after the book moved: a list of boxes to tick, which keeps ``check`` red."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from inside_torch.book.claims import RECORD, Counts
from inside_torch.book.uses import uses
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.pins.release import RELEASE
from inside_torch.releases.drift import Drift
from inside_torch.releases.passages import passages
from inside_torch.releases.repin import Move, files, naming

LIST = Path("docs", "read-again.md")
_BOX = re.compile(r"- \[(?P<mark>.)\] (?P<what>.*)")


def checklist(move: Move, drifts: Iterable[Drift]) -> str:
    """The list for a move that is done in its copy: Markdown, a box for each thing to read.

    ``drifts`` are the pins of the repository's own lock in the release.
    """
    version, changed = move.release.version, move.changed()
    parts = [
        f"# To read again: the book moved from {RELEASE} to {version}",
        "Tick a box once what it names has been read and says what is so. `inside-torch check` is red while "
        "a box is open; the last one ticked, take this file away.",
    ]
    for title, boxes in (
        ("Passages whose source changed", _passages(move, drifts)),
        ("Outputs that are other ones", _outputs(move, changed)),
        (
            "Call paths that are other ones",
            (str(place) for place in changed if place.name.endswith(".path.json")),
        ),
        ("Claims that are counted otherwise", _claims(move, changed)),
        ("Numbers of another release: measure again", _measured(move)),
        ("Functions of .cpp files whose lines could not be moved", _rows(move)),
        (f"Prose that names {RELEASE}", _prose(move)),
    ):
        if several := [f"- [ ] {box}" for box in boxes]:
            parts += [f"## {title}", "\n".join(several)]
    return "\n\n".join(parts) + "\n"


def _passages(move: Move, drifts: Iterable[Drift]) -> Iterator[str]:
    for several in passages(Book.load(move.folder), drifts).values():
        for drift, passage in several:
            yield (
                f"{passage.file}:{passage.line} #{passage.heading} `{drift.address}` {drift.state}: "
                f"{passage.words}"
            )


def _outputs(move: Move, changed: Iterable[Path]) -> Iterator[str]:
    """The sections of pages, and the programs, whose printed lines differ."""
    book = Book.load(move.folder)
    for place in changed:
        if place.suffix == ".out":
            yield str(place)
        elif place.suffix == ".md" and place.parts[:2] == ("docs", "en"):
            if not ((move.root / place).is_file() and (move.folder / place).is_file()):
                continue
            page, after = book.pages[place], _text(move.folder, place)
            hunks = difflib.SequenceMatcher(
                None, _text(move.root, place), after, autojunk=False
            ).get_opcodes()
            lines = [first + 1 for tag, _, _, first, _ in hunks if tag != "equal"]
            for anchor, line in {page.heading_above(line)[0]: line for line in reversed(lines)}.items():
                yield f"{place}:{line} #{anchor}"


def _claims(move: Move, changed: Iterable[Path]) -> Iterator[str]:
    """The claims whose members or exceptions are others than before."""
    for place in changed:
        if place.name != RECORD or not (move.root / place).is_file() or not (move.folder / place).is_file():
            continue
        before, after = Counts.load(move.root / place), Counts.load(move.folder / place)
        for name, now in after.claims.items():
            then = before.claims.get(name)
            if then is None or (then.count, then.exceptions) == (now.count, now.exceptions):
                continue
            new = sorted(set(now.exceptions) - set(then.exceptions))
            gone = sorted(set(then.exceptions) - set(now.exceptions))
            told = f"{then.holds} of {then.count} before, {now.holds} of {now.count} now"
            told += f"; new exceptions: {', '.join(new)}" if new else ""
            told += f"; exceptions that are gone: {', '.join(gone)}" if gone else ""
            yield f"{place.parent}#{name}: {told}"


def _measured(move: Move) -> Iterator[str]:
    for file in sorted((move.folder / "snippets").rglob("*.results.json")):
        build = json.loads(file.read_text(encoding="utf-8")).get("build", "nothing")
        if build.partition("+")[0] != move.release.version:
            yield f"{file.relative_to(move.folder)}: torch {build}"


def _rows(move: Move) -> Iterator[str]:
    """Those of the rows that could not be moved which the book uses."""
    used = {str(use.address) for use in uses(Book.load(move.folder))}
    for left in move.left:
        name = left.row.symbol.partition("(")[0]
        if any(left.row.path in address and name in address for address in used):
            yield f"{left.row.path} `{left.row.symbol}`: {left.why}"


def _prose(move: Move) -> Iterator[str]:
    found = naming(move.folder, files(move.folder))
    return (f"{place}:{line} {text[:90]}" for place, line, text in found)


def _text(folder: Path, place: Path) -> list[str]:
    return (folder / place).read_text(encoding="utf-8").split("\n")


def unread(root: Path) -> Iterator[BookError]:
    """An error for each open box, with the place that it names; none where there is no list."""
    file = root / LIST
    if not file.is_file():
        return
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        box = _BOX.match(line)
        if box and box["mark"] not in "xX":
            yield BookError(
                "read-again", f"not read since the book moved: {box['what']}", "- [x]", file=file, line=number
            )
