"""The verbs that run the book: record, trace, measure."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from inside_torch.book.article import Book, Page
from inside_torch.book.recording import SNIPPETS, Program, Results
from inside_torch.cli import ROOT
from inside_torch.errors import BookError, nearest

out = Console(highlight=False, soft_wrap=True)

Check = Annotated[bool, typer.Option("--check", help="Write nothing: compare, and fail on a difference.")]
Programs = Annotated[
    list[str],
    typer.Argument(help="Programs, by file or by name below snippets/ (module-02-autograd/article/x)."),
]
Subjects = Annotated[
    list[str] | None,
    typer.Argument(help="Pages and programs, by file or by slug; all of the book where none is named."),
]


def find(name: str) -> Program:
    """A program by its file or by its name below ``snippets/``."""
    base, path = ROOT / SNIPPETS, Path(name).resolve()
    return Program.find(ROOT, path.relative_to(base).as_posix() if path.is_relative_to(base) else name)


def pages_named(book: Book, name: str) -> list[Page]:
    """The pages of a file or of a slug, in each language."""
    path = Path(name).resolve()
    return [
        page
        for page in book.pages.values()
        if page.file.resolve() == path or page.slug == name.removesuffix("/")
    ]


def record(subjects: Subjects = None, check: Check = False) -> None:
    """Run probes and programs, and write what they print: into the page's #> lines, into the program's .out.

    A page stands for its probes and for the programs whose output it shows.
    """
    from inside_torch.run.programs import Told, programs, programs_of
    from inside_torch.run.record import record_page, record_program

    book = Book.load(ROOT)
    pages: list[Page] = []
    told: dict[str, Told] = {}
    if not subjects:
        pages = list(book.pages.values())
        told = {one.id: one for one in programs(book)}
    for name in subjects or []:
        if named := pages_named(book, name):
            pages += named
            told |= {one.id: one for page in named for one in programs_of(page)}
            continue
        try:
            program = find(name)
        except BookError as error:
            slugs = [page.slug for page in book.pages.values()]
            error.nearest = ", ".join(filter(None, (nearest(name, slugs), error.nearest)))
            raise error
        told[program.name] = next(
            (one for page in book.pages.values() if not page.errors for one in programs_of(page)
             if one.program.name == program.name), None,
        ) or Told(program)  # fmt: skip
        if told[program.name].place is None:
            out.print(f"[yellow]{program.name}: no `output` fence names it yet; run with no rule[/yellow]")
    failed = 0
    for page in pages:
        for outcome in record_page(page, check=check):
            failed += _say(outcome)
    for one in told.values():
        failed += _say(record_program(one, check=check))
    if failed:
        out.print(f"[red]{failed} failed[/red]")
        sys.exit(1)


def _say(outcome) -> bool:
    """Print one outcome; whether it is a failure."""
    if outcome.error:
        out.print(f"[red]failed[/red]     {outcome.id}")
        out.print(str(outcome.error), markup=False)
        return True
    if outcome.skipped:
        out.print(f"[yellow]skipped[/yellow]    {outcome.id}: {outcome.skipped}")
    else:
        out.print(
            f"{'[green]written[/green]   ' if outcome.changed else '[dim]unchanged[/dim] '} {outcome.id}"
        )
    return False


def trace(programs: Programs, check: Check = False) -> None:
    """Record the call path of a program's path() under gdb, as its .trace.yml says, into its .path.json."""
    from inside_torch.run.trace import trace as run

    for name in programs:
        program, begun = find(name), time.monotonic()
        path = run(program, check=check)
        done = "as recorded" if check else f"written to {program.path.relative_to(ROOT)}"
        out.print(f"{program.name}: {len(path.frames)} frames, {done} ({time.monotonic() - begun:.1f} s)")
        for frame in path.frames:
            pin = f"  [dim]{frame.pin}[/dim]" if frame.pin else ""
            thread = f"  [yellow]thread {frame.thread}[/yellow]" if frame.thread else ""
            colour = "green" if frame.language == "python" else "cyan"
            out.print(f"{'  ' * (frame.depth + 1)}[{colour}]{frame.symbol}[/{colour}]{thread}{pin}")


def measure(programs: Programs, check: Check = False) -> None:
    """Run a program's measure() and write its numbers to .results.json, with the build and the machine.

    With --check nothing is run: the recorded numbers must be of the program's present text.
    """
    from inside_torch.run import measure as measuring

    for name in programs:
        program = find(name)
        if check:
            results = Results.load(program.results)
            measuring.fresh(program, results)
        else:
            results = measuring.measure(program)
            results.dump(program.results)
        out.print(f"{program.name} ({results.date}, torch {results.build}, {results.machine})")
        for key, value in results.values.items():
            out.print(f"  {key}: {value}")


def register(app: typer.Typer) -> None:
    """Add the verbs to the program."""
    for verb in (record, trace, measure):
        app.command()(verb)
