"""The verb explain: which entries of "Find an error" a traceback fits."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from collections import deque
from typing import Annotated

import typer
from rich.console import Console

from inside_torch.cli import ROOT, RootOption
from inside_torch.errors import BookError

WIDTH = 90
LINES = 2000  # of what a command writes to stderr, so many are kept
out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)


def explain(
    command: Annotated[
        list[str] | None,
        typer.Argument(metavar="[COMMAND]...", help="Run this, and explain what it writes to stderr."),
    ] = None,
    root: RootOption = ROOT,
) -> None:
    """Say what an error means: the entries of the page "Find an error" that a text fits, best first.

    The text comes from the standard input; numbers, shapes and addresses in it do not matter. Or it is what a
    command writes to stderr, which is passed on as it comes; where the command ends well, nothing is said.

    Ends with status 1 where no entry fits, and around a command with the command's.

    Examples:

      inside-torch explain < traceback.txt

      inside-torch explain python train.py
    """
    from inside_torch.book.error_finder import Fit, entries, fitting
    from inside_torch.book.whole_book import Book

    status, text = _run(command) if command else (1, sys.stdin.read())
    if status == 0:
        return
    found: list[Fit] = fitting(entries(Book.load(root)), text)
    for fit in found:
        out.print(f"\n{fit.entry.title}", style="bold")
        for paragraph in fit.entry.told.split("\n\n"):
            out.print(textwrap.indent(textwrap.fill(paragraph.replace("`", ""), WIDTH), "    "))
        out.print(
            f"    docs/en/errors.md:{fit.entry.line}, errors/#{fit.entry.anchor} on the site", style="dim"
        )
    if not found:
        out.print("no entry of docs/en/errors.md fits; `inside-torch where` takes the last frame's file:line")
    raise typer.Exit(status)


def _run(command: list[str]) -> tuple[int, str]:
    """Exit status of a command, and the end of what it wrote to stderr."""
    kept: deque[bytes] = deque(maxlen=LINES)
    try:
        child = subprocess.Popen(command, stderr=subprocess.PIPE)
    except OSError as error:
        raise BookError("command", f"{command[0]}: {error.strerror}", "a program that can be run") from None
    assert child.stderr is not None
    for line in child.stderr:
        kept.append(line)
        sys.stderr.buffer.write(line)
        sys.stderr.buffer.flush()
    return child.wait(), b"".join(kept).decode(errors="replace")


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    settings = {"ignore_unknown_options": True, "allow_interspersed_args": False}
    app.command(context_settings=settings)(explain)
