"""Programs, exercises and recordings: each that a page names exists, and each that exists is named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from inside_torch.book import claims, fence_kinds
from inside_torch.book.page import Page, Value
from inside_torch.book.recording import (
    EXERCISE,
    PACKAGING,
    SNIPPETS,
    WRONG,
    Output,
    PathRecording,
    Program,
    Results,
)
from inside_torch.book.regions import shown
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest

AnyFence = TypeVar("AnyFence", bound=fence_kinds.BookFence)

_IGNORED = {"__pycache__", "build"}
_OF_PROGRAMS = (
    fence_kinds.ProgramFence,
    fence_kinds.OutputFence,
    fence_kinds.PathFence,
    fence_kinds.MeasurementsFence,
)


def _mentions(book: Book, *kinds: type[AnyFence]) -> Iterator[tuple[Page, AnyFence]]:
    """Every fence of these kinds, on the pages that are no copies of another."""
    for page in book.sound:
        if page.is_original:
            yield from ((page, block) for block in page.blocks if isinstance(block, kinds))


def _values(book: Book) -> Iterator[tuple[Page, Value]]:
    """Every measured number in the prose of these pages."""
    return ((page, value) for page in book.sound if page.is_original for value in page.values)


def _program(book: Book, subject: str) -> Program | None:
    try:
        return Program.find(book.root, subject)
    except BookError:
        return None


@rule("no-such-program")
def programs_exist(book: Book) -> Iterator[BookError]:
    """Every program that a page names is a file below ``snippets/``."""
    mentions = [
        (page, block.fence.body_line, block.subject) for page, block in _mentions(book, *_OF_PROGRAMS)
    ]
    mentions += [(page, value.line, value.program) for page, value in _values(book)]
    for page, line, subject in mentions:
        try:
            Program.find(book.root, subject)
        except BookError as error:
            yield error.at(page.path, line)


@rule("program-section")
def program_sections(book: Book) -> Iterator[BookError]:
    """A section that a page shows is one region of the program, closed and not empty."""
    for page, block in _mentions(book, fence_kinds.ProgramFence):
        program = _program(book, block.subject)
        if not program or block.section is None:
            continue
        file = book.root / SNIPPETS / block.subject
        try:
            shown(file if file.is_file() else program.source, block.section.text)
        except BookError as error:
            yield error.at(page.path, block.section.line)


@rule("one-output")
def one_output(book: Book) -> Iterator[BookError]:
    """Every program shown or traced has one `output`, which says how it runs; a benchmark may have none."""
    outputs: dict[str, str] = {}
    for page, output in _mentions(book, fence_kinds.OutputFence):
        program = _program(book, output.subject)
        if not program or not page.is_english:
            continue
        if program.name in outputs:
            yield page.fault(
                "one-output",
                output.line,
                f"a second output of {program.name}, the first is in {outputs[program.name]}",
                "one",
            )
        outputs.setdefault(program.name, f"{page.path}:{output.line}")
    reported: set[str] = set()
    for page, block in _mentions(book, fence_kinds.ProgramFence, fence_kinds.PathFence):
        program = _program(book, block.subject)
        if not program or program.name in outputs or program.name in reported or program.results.is_file():
            continue
        reported.add(program.name)
        yield page.fault(
            "one-output", block.line, f"the program {program.name} with no output", "an `output` fence"
        )


_RECORDS: dict[str, type[Output | PathRecording | Results]] = {
    "output": Output,
    "path": PathRecording,
    "measurements": Results,
}


@rule("recording")
def recordings(book: Book) -> Iterator[BookError]:
    """Every recording that a page draws exists, can be read, and was made from the program as it is now."""
    said: set[tuple[Path, Path]] = set()
    wanted: list[tuple[Page, int, str, str]] = [
        (page, block.line, block.kind, block.subject)
        for page, block in _mentions(
            book, fence_kinds.OutputFence, fence_kinds.PathFence, fence_kinds.MeasurementsFence
        )
    ]
    wanted += [(page, value.line, "measurements", value.program) for page, value in _values(book)]
    for page, line, kind, subject in wanted:
        if not (program := _program(book, subject)):
            continue
        file = {"output": program.output, "path": program.path, "measurements": program.results}[kind]
        if (page.path, file) in said:
            continue  # a page speaks once of what it takes many numbers from
        said.add((page.path, file))
        name = file.relative_to(book.root)
        if kind == "path" and not program.trace.is_file():
            yield page.fault(
                "recording",
                line,
                f"no {program.trace.relative_to(book.root)}",
                "what the recorder listens to",
            )
            continue
        try:
            record = _RECORDS[kind].load(file)
        except BookError as error:
            yield page.fault("recording", line, f"{name}: {error.found}", error.expected)
            continue
        if not isinstance(record, Output) and record.program_digest != program.digest:
            yield page.fault(
                "recording",
                line,
                f"{name} was made from another version of the program",
                type(record).made_by(),
            )


@rule("exercise")
def exercises(book: Book) -> Iterator[BookError]:
    """An exercise has a hole, a solution without one, and a test that imports either by the same name."""
    for page, block in _mentions(book, fence_kinds.ExerciseFence):
        folder = book.root / SNIPPETS / block.subject
        for name in EXERCISE:
            if not (folder / name).is_file():
                yield page.fault(
                    "exercise",
                    block.fence.body_line,
                    f"no {SNIPPETS}/{block.subject}/{name}",
                    "the files " + ", ".join(EXERCISE),
                )
        if all((folder / name).is_file() for name in EXERCISE):
            hole, test, solution = ((folder / name).read_text(encoding="utf-8") for name in EXERCISE)
            for wrong, what in (
                ("NotImplementedError" not in hole, "exercise.py has no `raise NotImplementedError`"),
                ("NotImplementedError" in solution, "solution.py still has a `NotImplementedError`"),
                (
                    not re.search(r"^(?:from|import) exercise\b", test, re.MULTILINE),
                    "test_exercise.py does not import `exercise`",
                ),
            ):
                if wrong:
                    yield page.fault(
                        "exercise", block.fence.body_line, what, "a hole, a solution, and a test of both"
                    )


@rule("wrong-solution")
def wrong_solutions(book: Book) -> Iterator[BookError]:
    """An exercise brings one to four wrong solutions, whose docstring is a sentence that says the mistake."""
    for page, block in _mentions(book, fence_kinds.ExerciseFence):
        folder = book.root / SNIPPETS / block.subject
        wrong = sorted(folder.glob(WRONG))
        if folder.is_dir() and not 1 <= len(wrong) <= 4:
            yield page.fault(
                "wrong-solution",
                block.fence.body_line,
                f"{len(wrong)} wrong solutions in {SNIPPETS}/{block.subject}",
                "one to four files wrong_<name>.py, each a mistake that a reader would make",
            )
        for file in wrong:
            try:
                says = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            except SyntaxError as error:
                says = str(error)
            if not re.fullmatch(r"[A-Z`][^\n]{20,}[^.\n]\.", says) or ". " in says:
                yield BookError(
                    "wrong-solution",
                    f"the docstring {says!r}",
                    "one sentence, which says what is wrong",
                    file=file.relative_to(book.root),
                    line=1,
                )


@rule("unused-snippet")
def unused_snippets(book: Book) -> Iterator[BookError]:
    """Every file below ``snippets/`` lies in the folder of an article and is used by a page."""
    if any(page.errors for page in book.pages.values()):
        return  # what such a page uses is not known
    base = book.root / SNIPPETS
    used: set[Path] = set()
    for _, block in _mentions(book, *_OF_PROGRAMS):
        if program := _program(book, block.subject):
            used.update([*program.files, *program.packaging])
            if len(program.files) > 1:
                used.update(program.source.with_name(name) for name in PACKAGING)
            used.update(
                {
                    "output": [program.output],
                    "path": [program.path, program.trace],
                    "measurements": [program.results],
                }.get(block.kind, [])
            )
    for page in book.sound:
        for value in page.values:
            if program := _program(book, value.program):
                used.update([*program.files, program.results])
    folders = {base / block.subject for _, block in _mentions(book, fence_kinds.ExerciseFence)}
    for article in claims.articles(book.root):  # the rule `claim-unused` speaks of each claim
        used.update(base / article / name for name in (claims.FILE, claims.RECORD))
    slugs = {page.slug for page in book.articles}
    for file in sorted(base.rglob("*")):
        place = file.relative_to(base)
        if (
            not file.is_file()
            or len(place.parts) == 1
            or any(part in _IGNORED or part.startswith(".") for part in place.parts)
        ):
            continue
        if "/".join(place.parts[:2]) not in slugs:
            yield BookError(
                "unused-snippet",
                f"a file of `{'/'.join(place.parts[:2])}`, which is no article",
                "snippets/<module>/<article>/…",
                nearest("/".join(place.parts[:2]), slugs),
                file.relative_to(book.root),
            )
        elif file not in used and not folders & set(file.parents):
            yield BookError(
                "unused-snippet",
                "a file that no page uses",
                "a fence that names it",
                file=file.relative_to(book.root),
            )
