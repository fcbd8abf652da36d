"""The verbs that run the book: record, trace, measure."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from inside_torch.book.recording import SNIPPETS, Program

ROOT = Path(__file__).resolve().parents[3]
out = Console(highlight=False, soft_wrap=True)

Check = Annotated[
    bool, typer.Option("--check", help="Write nothing: compare, and fail where something differs.")
]
Programs = Annotated[
    list[str],
    typer.Argument(
        help="Programs, by file or by name below snippets/: module-02-autograd/running-backward/x"
    ),
]


def find(name: str) -> Program:
    """A program by its file or by its name below ``snippets/``."""
    base = ROOT / SNIPPETS
    path = Path(name).resolve()
    return Program.find(ROOT, str(path.relative_to(base)) if path.is_relative_to(base) else name)


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


def register(app: typer.Typer) -> None:
    app.command()(trace)
