"""Programs, exercises and recordings: each that a page names exists, and each that exists is named."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from inside_torch.book import claims
from inside_torch.book.article import Block, Book, Page
from inside_torch.book.recording import SNIPPETS, Output, PathRecording, Program, Results
from inside_torch.book.rules import rule
from inside_torch.errors import BookError, nearest

_EXERCISE = ("exercise.py", "test_exercise.py", "solution.py")
_IGNORED = {"__pycache__", "build"}
#: What a folder that readers copy holds beside its sources.
_PACKAGING = ("README.md", "pyproject.toml")


def _mentions(book: Book, *kinds: str) -> Iterator[tuple[Page, Block, str]]:
    """Every fence of these kinds with its subject, on the pages that are no copies of another."""
    for page in book.sound:
        if page.is_original:
            for block in page.of_kind(*kinds):
                if block.body:
                    yield page, block, block.body.subject


def _program(book: Book, subject: str) -> Program | None:
    try:
        return Program.find(book.root, subject)
    except BookError:
        return None


@rule("no-such-program")
def programs_exist(book: Book) -> Iterator[BookError]:
    """Every program that a page names is a file below ``snippets/``."""
    mentions = [
        (page, block.fence.body_line, subject)
        for page, block, subject in _mentions(book, "program", "output", "path", "measurements")
    ]
    mentions += [
        (page, value.line, value.program) for page in book.sound if page.is_original for value in page.values
    ]
    for page, line, subject in mentions:
        try:
            Program.find(book.root, subject)
        except BookError as error:
            yield error.at(page.path, line)


@rule("program-section")
def program_sections(book: Book) -> Iterator[BookError]:
    """A section that a page shows is one region of the program, and is closed."""
    for page, block, subject in _mentions(book, "program"):
        assert block.body is not None
        program = _program(book, subject)
        if not program or not (name := block.body.one("section")):
            continue
        shown = book.root / SNIPPETS / subject
        source = (shown if shown.is_file() else program.source).read_text(encoding="utf-8")
        marks = re.findall(
            r"^[ \t]*(?:#|//)[ \t]*(region|endregion)\b[ \t]*(.*?)[ \t]*$", source, re.MULTILINE
        )
        regions = [mark[1] for mark in marks if mark[0] == "region"]
        line = block.body.key_lines["section"][0]
        if regions.count(name) != 1:
            yield BookError(
                "program-section",
                f"{regions.count(name)} regions `{name}` in {subject}",
                "one",
                nearest(name, regions),
                page.path,
                line,
            )
        elif "endregion" not in [mark[0] for mark in marks[marks.index(("region", name)) :]]:
            yield BookError(
                "program-section",
                f"the region `{name}` of {subject} with no end",
                "# endregion",
                file=page.path,
                line=line,
            )


@rule("one-output")
def one_output(book: Book) -> Iterator[BookError]:
    """Every program shown or traced has one `output`, which says how it runs; a benchmark may have none."""
    outputs: dict[str, str] = {}
    for page, block, subject in _mentions(book, "output"):
        program = _program(book, subject)
        if not program or not page.is_english:
            continue
        if program.name in outputs:
            yield BookError(
                "one-output",
                f"a second output of {program.name}, the first is in {outputs[program.name]}",
                "one",
                file=page.path,
                line=block.line,
            )
        outputs.setdefault(program.name, f"{page.path}:{block.line}")
    reported: set[str] = set()
    for page, block, subject in _mentions(book, "program", "path"):
        program = _program(book, subject)
        if not program or program.name in outputs or program.name in reported or program.results.is_file():
            continue
        reported.add(program.name)
        yield BookError(
            "one-output",
            f"the program {program.name} with no output",
            "an `output` fence",
            file=page.path,
            line=block.line,
        )


@rule("recording")
def recordings(book: Book) -> Iterator[BookError]:
    """Every recording that a page draws exists, can be read, and was made from the program as it is now."""
    said: set[tuple[Path, Path]] = set()
    kinds: dict[str, type[Output | PathRecording | Results]] = {
        "output": Output,
        "path": PathRecording,
        "measurements": Results,
    }
    wanted = [(page, block.line, block.kind, subject) for page, block, subject in _mentions(book, *kinds)]
    wanted += [
        (page, value.line, "measurements", value.program)
        for page in book.sound
        if page.is_original
        for value in page.values
    ]
    for page, line, kind, subject in wanted:
        if not (program := _program(book, subject)):
            continue
        file = {"output": program.output, "path": program.path, "measurements": program.results}[kind]
        if (page.path, file) in said:
            continue  # a page speaks once of what it takes many numbers from
        said.add((page.path, file))
        name = file.relative_to(book.root)
        if kind == "path" and not program.trace.is_file():
            yield BookError(
                "recording",
                f"no {program.trace.relative_to(book.root)}",
                "what the recorder listens to",
                file=page.path,
                line=line,
            )
            continue
        try:
            record = kinds[kind].load(file)
        except BookError as error:
            yield BookError("recording", f"{name}: {error.found}", error.expected, file=page.path, line=line)
            continue
        if not isinstance(record, Output) and record.program_digest != program.digest:
            yield BookError(
                "recording",
                f"{name} was made from another version of the program",
                type(record).made_by(),
                file=page.path,
                line=line,
            )


@rule("exercise")
def exercises(book: Book) -> Iterator[BookError]:
    """An exercise has a hole, a solution without one, and a test that imports either by the same name."""
    for page, block, subject in _mentions(book, "exercise"):
        folder = book.root / SNIPPETS / subject
        for name in _EXERCISE:
            if not (folder / name).is_file():
                yield BookError(
                    "exercise",
                    f"no {SNIPPETS}/{subject}/{name}",
                    "the files " + ", ".join(_EXERCISE),
                    file=page.path,
                    line=block.fence.body_line,
                )
        if all((folder / name).is_file() for name in _EXERCISE):
            hole, test, solution = ((folder / name).read_text(encoding="utf-8") for name in _EXERCISE)
            for wrong, what in (
                ("NotImplementedError" not in hole, "exercise.py has no `raise NotImplementedError`"),
                ("NotImplementedError" in solution, "solution.py still has a `NotImplementedError`"),
                (
                    not re.search(r"^(?:from|import) exercise\b", test, re.MULTILINE),
                    "test_exercise.py does not import `exercise`",
                ),
            ):
                if wrong:
                    yield BookError(
                        "exercise",
                        what,
                        "a hole, a solution, and a test of both",
                        file=page.path,
                        line=block.fence.body_line,
                    )


@rule("wrong-solution")
def wrong_solutions(book: Book) -> Iterator[BookError]:
    """An exercise brings one or two wrong solutions, whose docstring is a sentence that says the mistake."""
    for page, block, subject in _mentions(book, "exercise"):
        folder = book.root / SNIPPETS / subject
        wrong = sorted(folder.glob("wrong_*.py"))
        if folder.is_dir() and not 1 <= len(wrong) <= 2:
            yield BookError(
                "wrong-solution",
                f"{len(wrong)} wrong solutions in {SNIPPETS}/{subject}",
                "one or two files wrong_<name>.py, each a mistake that a reader would make",
                file=page.path,
                line=block.fence.body_line,
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
    folders: set[Path] = set()
    for _, block, subject in _mentions(book, "program", "output", "path", "measurements"):
        if program := _program(book, subject):
            used.update([*program.files, *program.packaging])
            if len(program.files) > 1:
                used.update(program.source.with_name(name) for name in _PACKAGING)
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
    for _, _, subject in _mentions(book, "exercise"):
        folders.add(base / subject)
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
