"""Programs: files of ``snippets/``, run as a reader runs them, their output held against the recorded one."""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass
from pathlib import Path

from inside_torch.book.fence_kinds import DEVICES, TIMEOUT, OutputFence
from inside_torch.book.page import Page
from inside_torch.book.recording import Output, Program
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError
from inside_torch.run.devices import default, variables
from inside_torch.run.machine import missing
from inside_torch.run.normalise import normalise
from inside_torch.run.process import PATIENT, Run, environment, run
from inside_torch.run.values import equal


@dataclass(frozen=True)
class ProgramRun:
    """A program and how its ``output`` fence says it is run."""

    program: Program
    place: Path | None = None  # the page, below the root
    line: int | None = None  # of the fence
    rules: tuple[str, ...] = ()
    timeout: float = TIMEOUT
    devices: tuple[str, ...] = DEVICES
    needs: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """Its test id: its name below ``snippets/``."""
        return self.program.name


class ProgramFailed(BookError):
    """A program that did not do what is recorded of it."""


def programs_of(page: Page) -> list[ProgramRun]:
    """The programs that have their ``output`` fence on this page."""
    if page.errors:
        raise page.errors[0]
    found = []
    for block in page.of(OutputFence):
        try:
            program = Program.find(page.root, block.subject)
        except BookError as error:
            raise error.at(page.path, block.line) from None
        how = (block.rules, block.timeout, block.devices, block.needs)
        found.append(ProgramRun(program, page.path, block.line, *how))
    return found


def programs(book: Book) -> list[ProgramRun]:
    """Every program of the book with an ``output`` fence, once; each language runs it alike."""
    found: dict[str, ProgramRun] = {}
    for page in book.pages.values():
        for told in programs_of(page):
            name = told.program.name
            if name not in found:
                found[name] = told
                continue
            first = found[name]
            same = (told.rules, told.timeout, told.devices, told.needs)
            assert told.place is not None and first.place is not None  # both have a fence
            if told.place.parts[1] == first.place.parts[1]:
                raise BookError(
                    "output-twice",
                    f"a second output fence for {name}",
                    f"only the one in {first.place}:{first.line}",
                    file=told.place,
                    line=told.line,
                )
            if same != (first.rules, first.timeout, first.devices, first.needs):
                raise BookError(
                    "output-differs",
                    f"{name} is run otherwise than in {first.place}:{first.line}",
                    "the same keys in each language",
                    file=told.place,
                    line=told.line,
                )
    return list(found.values())


def execute(told: ProgramRun, device: str, start: Run | None = None) -> str:
    """Run the program by itself and return what it printed, normalised by the rules of its fence; what is
    recorded, where that is the same by value.

    ``start`` runs its process, :func:`~inside_torch.run.process.run` unless it is given.

    Raises :class:`ProgramFailed` where it fails or outlasts its time limit.
    """
    source = told.program.source
    finished = (start or run)(
        [
            sys.executable,
            "-m",
            "inside_torch.run.launch",
            str(source),
            "--device",
            default(device, told.devices),
        ],
        cwd=source.parent,
        timeout=told.timeout,
        env=environment(**PATIENT, **variables(device)),
    )
    where = f" (run by {told.place}:{told.line})" if told.place else ""
    if finished.status is None:
        raise ProgramFailed("program-timeout", f"no end after {told.timeout} s{where}", file=source)
    if finished.status:
        ended = f"signal {-finished.status}" if finished.status < 0 else f"exit status {finished.status}"
        errors = "\n".join("    " + line for line in finished.errors.strip().splitlines()[-25:])
        raise ProgramFailed("program", f"{ended}{where}\n{errors}", file=source)
    text = normalise(finished.output, told.rules)
    recorded = Output.load(told.program.output).text if told.program.output.is_file() else ""
    return recorded if equal(recorded, text) else text


def check(told: ProgramRun, text: str) -> None:
    """Raise :class:`ProgramFailed` with a diff where the recorded output is another."""
    recorded = Output.load(told.program.output).text
    if text != recorded:
        diff = difflib.unified_diff(
            recorded.splitlines(), text.splitlines(), "recorded", "this run", lineterm="", n=2
        )
        lines = "\n".join("    " + line for line in diff)
        raise ProgramFailed(
            "program-output",
            f"{told.program.name} prints something else than {told.program.output.name}\n{lines}",
            "inside-torch record",
            file=told.place or told.program.source,
            line=told.line,
        )


def skip_reason(told: ProgramRun, device: str) -> str:
    """Why the program cannot run here; empty where it can."""
    reasons = dict.fromkeys(map(missing, (*told.needs, device)))
    return "; ".join(filter(None, reasons))
