"""The verbs that run the book: record, trace, measure."""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from inside_torch.book.page import Page
from inside_torch.book.recording import SNIPPETS, Program, Results
from inside_torch.book.whole_book import Book
from inside_torch.cli import ROOT
from inside_torch.errors import BookError, counted, nearest

if TYPE_CHECKING:
    from inside_torch.run.record import Outcome

out = Console(highlight=False, soft_wrap=True)

Check = Annotated[bool, typer.Option("--check", help="Write nothing: compare, and fail on a difference.")]
Programs = Annotated[
    list[str],
    typer.Argument(help="Programs, by file or by name below snippets/ (module-02-autograd/article/x)."),
]
TracedPrograms = Annotated[
    list[str] | None,
    typer.Argument(help="Programs, by file or by name below snippets/ (module-02-autograd/article/x)."),
]
Subjects = Annotated[
    list[str] | None,
    typer.Argument(
        help="Pages and programs, by file or by slug, and probes, as <page>#<id>; all of the book where none "
        "is named."
    ),
]
Capability = Annotated[
    str,
    typer.Option(
        help="The instruction set of torch's kernels: default, avx2 or avx512, as another processor has."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing of what is as it was.")]
ProbesOnly = Annotated[bool, typer.Option("--probes", help="Of pages, the probes and not the programs.")]


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


def record(
    subjects: Subjects = None,
    probes: ProbesOnly = False,
    check: Check = False,
    quiet: Quiet = False,
    cpu_capability: Capability = "",
) -> None:
    """Run probes and programs, and write what they print: into the page's #> lines, into the program's .out.

    A page stands for its probes and for the programs whose output it shows. A probe stands for its group, for
    its probes share their globals. What a probe writes to stderr is shown where it fails. Output that is
    by value what is written there, floats within a relative 1e-5, is left as it is.

    Examples:

      inside-torch record docs/en/module-02-autograd/saved-tensors.md

      inside-torch record --probes module-02-autograd/saved-tensors

      inside-torch record module-02-autograd/saved-tensors#leaf

      inside-torch record module-02-autograd/saved-tensors/checkpoint_memory
    """
    from inside_torch.run.capability import choose

    if cpu_capability:
        choose(cpu_capability)
    from inside_torch.run.fork_server import ForkServer
    from inside_torch.run.programs import ProgramRun, programs, programs_of
    from inside_torch.run.record import record_page, record_program

    book = Book.load(ROOT)
    pages: list[tuple[Page, str]] = []
    told: dict[str, ProgramRun] = {}
    if not subjects:
        pages = [(page, "") for page in book.pages.values()]
        told = {} if probes else {one.id: one for one in programs(book)}
    for name in subjects or []:
        place, hash_sign, only = name.partition("#")
        if named := pages_named(book, place):
            if hash_sign and not only:
                raise BookError("probe-unknown", f"no id in {name!r}", "<page>#<id of a probe>")
            pages += [(page, only) for page in named]
            if not only and not probes:
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
        ) or ProgramRun(program)  # fmt: skip
        if told[program.name].place is None:
            out.print(f"[yellow]{program.name}: no `output` fence names it yet; run with no rule[/yellow]")
    ends: Counter[str] = Counter()
    ran = 0
    with ForkServer() as server:
        for page, only in pages:
            for outcome in record_page(page, only=only, check=check, run=server.run):
                ends[_say(outcome, quiet)] += 1
                ran += 1
        for one in told.values():
            ends[_say(record_program(one, check=check, run=server.run), quiet)] += 1
    counts = ", ".join(f"{ends[end]} {end}" for end in _STYLES if ends[end]) or "nothing to run"
    style = "red" if ends["failed"] else "green"
    out.print(f"{counted(ran, 'probe')}, {counted(len(told), 'program')}: {counts}", style=style)
    if ends["failed"]:
        sys.exit(1)


#: How a run can end, in the order of the summary.
_STYLES = {"failed": "red", "written": "green", "unchanged": "dim", "skipped": "yellow"}


def _say(outcome: Outcome, quiet: bool) -> str:
    """Print one outcome, unless it is no news and this is to be ``quiet``; a key of :data:`_STYLES`."""
    end = (
        "failed" if outcome.error
        else "skipped" if outcome.skipped
        else "written" if outcome.changed
        else "unchanged"
    )  # fmt: skip
    reason = f": {outcome.skipped}" if outcome.skipped else ""
    if quiet and end in ("unchanged", "skipped"):
        return end
    out.print(f"[{_STYLES[end]}]{end:<9}[/{_STYLES[end]}]  {outcome.id}{reason}")
    if outcome.error:
        out.print(str(outcome.error), markup=False)
    if outcome.stderr.strip():
        last = "\n".join("    " + line for line in outcome.stderr.strip().splitlines()[-25:])
        out.print(f"    stderr:\n{last}", style="dim", markup=False)
    return end


def trace(
    programs: TracedPrograms = None,
    everything: Annotated[bool, typer.Option("--all", help="Every program with a .trace.yml.")] = False,
    check: Check = False,
    quiet: Quiet = False,
) -> None:
    """Record the call path of a program's path() under gdb, as its .trace.yml says, into its .path.json.

    A program that cannot be traced does not keep the others from it. Some seconds each.

    Examples:

      inside-torch trace snippets/module-02-autograd/running-backward/one_backward.py

      inside-torch trace --all --check
    """
    from inside_torch.run.debugger import Debugger
    from inside_torch.run.trace import trace as run

    if bool(programs) == everything:
        raise BookError("trace", "programs and --all" if programs else "no program", "programs, or --all")
    found = [find(name) for name in programs] if programs else traced(ROOT)
    wrong: list[BookError] = []
    with Debugger() as gdb:
        for program in found:
            begun = time.monotonic()
            try:
                path = run(program, gdb, check=check)
            except BookError as error:
                wrong.append(error)
                out.print(str(error), style="red", markup=False)
                continue
            done = "as recorded" if check else f"written to {program.path.relative_to(ROOT)}"
            seconds = time.monotonic() - begun
            out.print(f"{program.name}: {counted(len(path.frames), 'frame')}, {done} ({seconds:.1f} s)")
            for frame in () if quiet else path.frames:
                pin = f"  [dim]{frame.pin}[/dim]" if frame.pin else ""
                thread = f"  [yellow]thread {frame.thread}[/yellow]" if frame.thread else ""
                colour = "green" if frame.language == "python" else "cyan"
                out.print(f"{'  ' * (frame.depth + 1)}[{colour}]{frame.symbol}[/{colour}]{thread}{pin}")
    if wrong:
        out.print(f"{counted(len(wrong), 'error')} in {counted(len(found), 'program')}", style="red")
        sys.exit(1)


def traced(root: Path) -> list[Program]:
    """Every program that has a trace file."""
    files = sorted((root / SNIPPETS).rglob("*.trace.yml"))
    base = root / SNIPPETS
    return [
        Program.find(root, file.relative_to(base).as_posix().removesuffix(".trace.yml")) for file in files
    ]


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
