"""The verb bench."""

from __future__ import annotations

import subprocess
from typing import Annotated

import typer
from rich.console import Console

from inside_torch.cli import ROOT

console = Console(soft_wrap=True, highlight=False)


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command()(bench)


def bench(
    rounds: Annotated[int, typer.Option(min=1, help="How often each figure is taken.")] = 5,
    write: Annotated[bool, typer.Option(help="Write the table to docs/en/contributing/figures.md.")] = False,
) -> None:
    """Measure the machine: build, verification, rebuild after an edit, page weight, drawing.

    Exits with 1 where a target is missed.
    """
    from inside_torch.bench.benchmark import measure
    from inside_torch.bench.figures import PAGE, page_of
    from inside_torch.files import write_whole

    figures = measure(ROOT, rounds, lambda line: console.print(line, markup=False))
    if write:
        commit = subprocess.run(
            ["git", "describe", "--always", "--dirty"], cwd=ROOT, capture_output=True, text=True
        ).stdout.strip()
        before = (ROOT / PAGE).read_text("utf-8") if (ROOT / PAGE).is_file() else ""
        write_whole(ROOT / PAGE, page_of(figures, f"commit {commit}" if commit else "no commit", before))
    if not all(figure.kept for figure in figures):
        raise typer.Exit(1)
