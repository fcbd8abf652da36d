"""The verb that counts claims."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from inside_torch.book.claims import FILE, articles, claims_of
from inside_torch.book.recording import SNIPPETS
from inside_torch.cli import ROOT
from inside_torch.errors import BookError, counted, nearest

out = Console(highlight=False, soft_wrap=True)
_STYLES = {"failed": "red", "written": "green", "unchanged": "dim", "skipped": "yellow"}


def _named(name: str) -> tuple[str, str]:
    """Article and claim (or nothing) of ``<module>/<article>``, its page, its file, or ``…#<claim>``."""
    place, _, claim = name.partition("#")
    path, known = Path(place).resolve(), articles(ROOT)
    parts = path.relative_to(ROOT).parts if path.exists() and path.is_relative_to(ROOT) else ()
    slug = "/".join(parts[-2:] if parts and parts[-1].endswith(".md") else parts[1:3]) if parts else place
    slug = slug.removesuffix(".md").strip("/")
    if slug not in known:
        raise BookError(
            "claim", f"no {SNIPPETS}/{slug}/{FILE}", "an article with claims", nearest(slug, known, cutoff=0)
        )
    if claim and claim not in (ids := claims_of(ROOT, slug)):
        raise BookError("claim", f"no claim `{claim}`", f"a claim of {slug}", nearest(claim, ids, cutoff=0))
    return slug, claim


def count(
    subjects: Annotated[
        list[str] | None,
        typer.Argument(
            help="Articles, by slug, page or claims.py, and claims, as <article>#<claim>; else all."
        ),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing: compare, and fail on a difference.")
    ] = False,
    smaller: Annotated[
        bool, typer.Option("--smaller", help="A population that lost many of its members is meant.")
    ] = False,
    against: Annotated[
        str,
        typer.Option(
            metavar="PYTHON",
            help="Count with the torch of another interpreter, say how it differs, and keep its numbers "
            "beside ours.",
        ),
    ] = "",
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing of what is as it was.")] = False,
) -> None:
    """Count the claims of articles on the installed torch, and record which members each holds for.

    Examples:

      inside-torch count module-02-autograd/recording-the-graph

      inside-torch count module-02-autograd/recording-the-graph#formula-has-wrapper --check

      inside-torch count --against ../torch-2.15/bin/python
    """
    from inside_torch.run.claim_counts import count_article
    from inside_torch.run.fork_server import ForkServer

    named = [_named(name) for name in subjects] if subjects else [(one, "") for one in articles(ROOT)]
    if against:
        _against(named, against, check)
        return
    ends: Counter[str] = Counter()
    with ForkServer() as server:
        for slug, only in named:
            for outcome in count_article(
                ROOT, slug, only=only, check=check, smaller=smaller, start=server.run
            ):
                end = (
                    "failed" if outcome.error
                    else "skipped" if outcome.skipped
                    else "written" if outcome.changes
                    else "unchanged"
                )  # fmt: skip
                ends[end] += 1
                if quiet and end in ("unchanged", "skipped"):
                    continue
                said = outcome.skipped or f"{outcome.holds:,} of {outcome.count:,}"
                out.print(f"[{_STYLES[end]}]{end:<9}[/{_STYLES[end]}]  {outcome.claim.name}: {said}")
                if outcome.exceptions and not outcome.error:
                    out.print(
                        f"           not {', '.join(outcome.exceptions[:12])}"
                        + (" …" if len(outcome.exceptions) > 12 else ""),
                        markup=False,
                    )
                for change in () if outcome.error else outcome.changes:
                    out.print(f"           {change}", style="yellow", markup=False)
                if outcome.error:
                    out.print(str(outcome.error), style="red", markup=False)
    counts = ", ".join(f"{ends[end]} {end}" for end in _STYLES if ends[end]) or "nothing to count"
    out.print(f"{counted(ends.total(), 'claim')}: {counts}", style="red" if ends["failed"] else "green")
    if ends["failed"]:
        sys.exit(1)


def _against(named: list[tuple[str, str]], python: str, check: bool) -> None:
    """Tell how the counts of another interpreter's torch differ; what fails there does not fail here."""
    from inside_torch.run.claim_counts import count_against

    for slug, only in named:
        for one in count_against(ROOT, slug, python, only=only, check=check):
            where = f"{one.claim.name}, torch {one.version or '?'}"
            if one.error:
                out.print(f"{where}: not counted: {one.error}", style="yellow", markup=False)
                continue
            out.print(f"{where}: {one.holds:,} of {one.count:,}")
            for change in one.changes:
                out.print(f"    {change}", style="yellow", markup=False)


def register(app: typer.Typer) -> None:
    """Add the verb to the program."""
    app.command()(count)
