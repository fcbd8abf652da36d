"""Verbs of the site: build, diagrams, serve."""

from __future__ import annotations

import os
import tempfile
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from inside_torch.book.language import CODES
from inside_torch.cli import ROOT
from inside_torch.errors import BookError, counted
from inside_torch.pins.lock import PinLock
from inside_torch.pins.tree import VARIABLE, fetch

TreeFlag = Annotated[
    bool,
    typer.Option(
        "--tree",
        help=f"Show the code of .cpp files: fetch those that pages name, or read the checkout of {VARIABLE}.",
    ),
]
console = Console(soft_wrap=True, highlight=False)


class Choice(StrEnum):
    """One language of the book, by its code, or all."""

    en = "en"
    zh = "zh"
    both = "both"


def register(app: typer.Typer) -> None:
    """Add the verbs to the program."""
    app.command()(build)
    app.command()(diagrams)
    app.command()(serve)


def build(
    strict: Annotated[
        bool, typer.Option(help="Fail on a warning too: a dead link, a missing anchor.")
    ] = True,
    check: Annotated[
        bool, typer.Option(help="Hold the pages against the rules, the pins against torch, first.")
    ] = True,
    out: Annotated[Path, typer.Option(help="Where the site goes.")] = Path(".build/site"),
    tree: TreeFlag = False,
) -> None:
    """Build the site, both languages, into .build/site.

    The site is built aside and put in place whole: after an error the old one is still there.
    INSIDE_TORCH_SITE_URL says where it will be served, INSIDE_TORCH_REPO_URL where "edit this page" leads.
    """
    from inside_torch.site.publish import build_site

    start = time.monotonic()
    if check:
        _check()
    if tree:
        _fetch()
    reports = build_site(ROOT, ROOT / out, strict)
    for language, report in reports.items():
        for line in report.warnings:
            console.print(f"{language}: {line}", style="yellow", markup=False)
        console.print(f"{language}: {counted(len(report.pages), 'page')} in {report.seconds:.1f} s")
    for line in dict.fromkeys(line for report in reports.values() for line in report.notes):
        console.print(line, style="yellow", markup=False)
    console.print(f"{out}, whole, in {time.monotonic() - start:.1f} s")


def diagrams(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; say what is not so.")] = False,
) -> None:
    """Record how large each diagram is drawn, so that a page keeps its place until it is.

    The site is built aside and each article opened in the browser. A drawing that is as large as recorded, to
    what two machines differ by, stays recorded as it is.
    """
    from inside_torch.render import diagram_sizes
    from inside_torch.site.drawn_sizes import drawn_sizes
    from inside_torch.site.publish import build_site

    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        build_site(ROOT, site, strict=False)
        pages = sorted(
            str(page.parent.relative_to(site)) + "/"
            for page in site.rglob("index.html")
            if 'class="mermaid"' in page.read_text("utf-8")
        )
        drawn = drawn_sizes(site, pages)
    known = diagram_sizes.load(ROOT)
    kept = {
        name: known[name] if name in known and not diagram_sizes.differ(known[name], size) else size
        for name, size in drawn.items()
    }
    changed = sum(kept.get(name) != known.get(name) for name in kept.keys() | known.keys())
    if check and changed:
        raise BookError(
            "diagrams",
            f"{counted(changed, 'diagram')} drawn otherwise than recorded",
            "the sizes that `inside-torch diagrams` writes",
            file=diagram_sizes.FILE,
        )
    if not check:
        diagram_sizes.save(ROOT, kept)
    console.print(f"{counted(len(kept), 'diagram')} on {counted(len(pages), 'page')}, {changed} changed")


def serve(
    port: Annotated[int, typer.Option(help="Port on 127.0.0.1.")] = 8000,
    language: Annotated[Choice, typer.Option(help="Which language to build.")] = Choice.both,
    tree: TreeFlag = False,
) -> None:
    """Build the site, serve it, and build again what an edit touches.

    Watches articles, snippets, configuration, pins.lock and our own code. An edit of one page is visible in
    well under a second. Search and navigation follow when the configuration changes or the server starts.
    """
    from inside_torch.site.serve import serve as serve_site

    if tree:
        _fetch()
    languages = CODES if language is Choice.both else (language.value,)
    serve_site(ROOT, port, languages, lambda line: console.print(line, markup=False))


def _fetch() -> None:
    """Fetch the pinned files, and tell the builders where they are."""
    if not os.environ.get(VARIABLE):
        console.print("fetching the pinned files of PyTorch")
        os.environ[VARIABLE] = str(fetch(PinLock.load(ROOT).compiled))


def _check() -> None:
    """Hold the pages against the rules and the pins against the release; one :class:`BookError` tells all."""
    from inside_torch.book.check import check_book
    from inside_torch.book.whole_book import Book
    from inside_torch.site.faults import pinned

    book = Book.load(ROOT)
    errors = check_book(book) + pinned(book)
    if errors:
        found = "\n".join(str(error) for error in errors)
        raise BookError(
            "check",
            f"{counted(len(errors), 'fault')} in the pages\n{found}",
            "a book that `inside-torch check` passes",
        )
