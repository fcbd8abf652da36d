"""The verbs of the pins: lock, verify, show, tree."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from inside_torch.book.mentions import holding, mentions, repository_path
from inside_torch.book.steps import against_tree, wanted
from inside_torch.book.uses import of_pages, places, uses
from inside_torch.book.whole_book import Book
from inside_torch.cli import ROOT, RootOption
from inside_torch.errors import BookError, counted
from inside_torch.pins.address import Address
from inside_torch.pins.calls import FILE as CALLS
from inside_torch.pins.calls import CallsLock, derive
from inside_torch.pins.facts import Facts
from inside_torch.pins.lock import FILE, Evidence, PinLock, resolve
from inside_torch.pins.tree import VARIABLE, Tree, fetch
from inside_torch.pins.verify import Change, lock_all, uses_against, verify
from inside_torch.pins.witness import Libraries

TreeOption = Annotated[
    Path | None,
    typer.Option(
        "--tree",
        metavar="DIR",
        help=f"A PyTorch checkout at the pinned commit (also: {VARIABLE}).",
        show_default=False,
    ),
]

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def _fail(errors: list[BookError], what: str) -> None:
    """Prints the errors and ends with status 1."""
    for error in errors:
        err.print(Text(str(error), style="red"))
    err.print(Text(counted(len(errors), what), style="bold red"))
    raise typer.Exit(1)


Pages = Annotated[
    list[Path] | None,
    typer.Argument(metavar="[PAGE]...", help="Lock the addresses of these pages and their traces only."),
]


def lock(
    pages: Pages = None,
    root: RootOption = ROOT,
    tree: TreeOption = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Count the changes, do not list them.")
    ] = False,
) -> None:
    """Write pins.lock: add the addresses that pages use, remove those that none does.

    Addresses are taken from docs/**.md (links, excerpts, diagram clicks) and snippets/**/*.yml. Nothing is
    written unless every one of them means one place. Where pages are named, a mistake on another page does
    not matter, and what is locked for another page stays as it is.

    Examples:

    inside-torch lock

    inside-torch lock docs/en/module-02-autograd/running-backward.md

    inside-torch lock --tree ~/src/pytorch (lines of .cpp files from a checkout, not only from witnesses)
    """
    book = Book.load(root)
    everywhere = uses(book)
    named = of_pages(everywhere, book, pages) if pages else everywhere
    used, wrong = places(named)
    kept = set(places(everywhere)[0]) - set(used) if pages else set()
    sources = Evidence.here(tree, fetched=False)
    changes: list[Change] = []
    try:
        first = {address: found[0] for address, found in used.items()}
        new, changes = lock_all(root, first, sources, kept)
    except* BookError as group:
        wrong += [error for error in group.exceptions if isinstance(error, BookError)]
    if wrong:
        _fail(wrong, f"address that cannot be locked; {FILE} is as it was")
    told = CallsLock.load(root)
    facts = CallsLock(root, _facts(wanted(book, new), new, sources, told))
    new.save()
    facts.save()
    signs = {"added": ("+", "green"), "changed": ("~", "yellow"), "removed": ("-", "red")}
    for change in () if quiet else changes:
        sign, style = signs[change.kind]
        pin = change.after or change.before
        moved = f"{change.before.lines} -> " if change.kind == "changed" and change.before else ""
        said = f"{moved}{pin.lines}, {pin.evidence}" if pin and change.after else ""
        out.print(Text(f"{sign} {change.address}  ", style=style).append(said, style="dim"))
    if facts.text != told.text:
        out.print(f"{CALLS}: {counted(len(facts.facts), 'function')}")
    out.print(
        f"{FILE}: {_counts(new)}, {len(changes)} changed" if changes else f"{FILE}: {_counts(new)}, as it was"
    )


def _facts(
    spoken: dict[str, tuple[set[str], set[int]]], pins: PinLock, sources: Evidence, told: CallsLock
) -> dict[str, Facts]:
    """The facts that steps need: those in the lock where they tell all, the others from the libraries."""
    kept = {
        address: told.facts[address]
        for address, (names, lines) in spoken.items()
        if address in told.facts and told.facts[address].tell(names, lines)
    }
    anew = {address: each for address, each in spoken.items() if address not in kept}
    if not anew or not isinstance(sources.witnesses, Libraries):
        return kept
    locked = {address: pins.pin(address) for address in anew}
    return kept | derive(anew, locked, sources.witnesses)


def _counts(pins: PinLock) -> str:
    kinds: dict[str, int] = {}
    for pin in pins:
        kinds[pin.evidence] = kinds.get(pin.evidence, 0) + 1
    named = ", ".join(f"{count} by {evidence}" for evidence, count in sorted(kinds.items()))
    return counted(len(pins), "pin") + (f" ({named})" if named else "")


def verify_all(
    root: RootOption = ROOT,
    tree: TreeOption = None,
    witnesses: Annotated[
        bool, typer.Option("--witnesses", help="Search the wheel's libraries again (a few seconds more).")
    ] = False,
) -> None:
    """Hold every pin against the installed torch; say what moved or changed, and how.

    Every address that a page uses must be locked, every locked one used. torch is read, never imported.

    Examples:

      inside-torch verify

      inside-torch verify --witnesses            (as the test run does)

      inside-torch verify --tree ~/src/pytorch   (lines and steps of .cpp files against a checkout)
    """
    pins = PinLock.load(root)
    book = Book.load(root)
    used, wrong = places(uses(book))
    sources = Evidence.here(tree)
    wrong += uses_against(pins, used, sources)
    found, notes = verify(pins, sources, witnesses=witnesses)
    if witnesses:
        changed, unread = CallsLock.load(root).against(wanted(book, pins), pins, sources)
        found, notes = found + changed, notes + unread
    found += against_tree(book, pins, sources)
    for note in notes:
        err.print(Text(note, style="yellow"))
    if wrong + found:
        _fail(wrong + found, f"thing wrong with {_counts(pins)}")
    out.print(f"{_counts(pins)}: all hold", style="green")


def show(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="src:<path>::<symbol>#<text of one line>")
    ],
    root: RootOption = ROOT,
    tree: TreeOption = None,
) -> None:
    """Print what one address means: file, lines at the commit, evidence, link, and the text where there is
    one.

    The address need not be locked. For a file that the wheel does not hold, its witnesses are listed: the
    texts that can narrow a pin to their line. Quote the address for your shell.

    Examples:

    inside-torch show src:torch/autograd/graph.py::_engine_run_backward

    inside-torch show 'src:torch/csrc/autograd/edge.h::Edge#uint32_t input_nr;'

    inside-torch show src:torch/csrc/autograd/engine.cpp

    inside-torch show src:aten/src/ATen/native/native_functions.yaml::add.Tensor
    """
    wanted = Address.parse(address if address.startswith("src:") else f"src:{address}")
    sources = Evidence.here(tree)
    pin = resolve(wanted, sources)
    source = sources.read(wanted.path)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold")
    table.add_column(overflow="fold")
    locked = PinLock.load(root)
    rows = [
        ("address", str(wanted)),
        ("lines", pin.lines),
        ("evidence", pin.evidence + (f" ({pin.note})" if pin.note else "")),
        ("link", pin.permalink or "none: the file is generated at build time and is in no repository"),
        (
            "locked",
            "yes"
            if wanted in locked and locked.pin(wanted) == pin
            else "differs"
            if wanted in locked
            else "no",
        ),
    ]
    for name, value in rows:
        table.add_row(name, Text(value))
    out.print(table)
    if source is not None and pin.first is not None and pin.last is not None:
        text = "\n".join(source.lines[pin.first - 1 : pin.last])
        out.print(
            Syntax(text, source.language, line_numbers=True, start_line=pin.first, background_color="default")
        )
    elif source is None:
        held = (
            sources.witnesses.witnesses(wanted.path)
            if sources.witnesses and wanted.symbol is None
            else pin.witnesses
        )
        listed = Table("line", "function", "assertion", title="witnesses", title_justify="left", box=None)
        for witness in held or pin.around:
            listed.add_row(str(witness.line), Text(witness.function), Text(witness.text))
        out.print(listed)
        if pin.around and not pin.witnesses:
            out.print("(none lies in the range; these lie before and after it)", style="dim")


def where(
    place: Annotated[str, typer.Argument(metavar="FILE[:LINE]", help="A file of PyTorch, and a line of it.")],
    root: RootOption = ROOT,
) -> None:
    """Say which articles explain a line of PyTorch, or any line of a file.

    The path is the repository's, or ends in it, as in a checkout or a traceback. Lines are those of the
    pinned release.

    Examples:

    inside-torch where torch/autograd/graph.py:975

    inside-torch where ~/src/pytorch/torch/csrc/autograd/engine.cpp
    """
    path, colon, number = place.rpartition(":")
    if not (colon and number.isdigit()):
        path, number = place, ""
    found = mentions(Book.load(root), PinLock.load(root))
    path = repository_path(path, {mention.pin.address.path for mention in found})
    for mention in holding(found, path, int(number) if number else None):
        pin = mention.pin
        out.print(
            Text(f"{pin.lines:16} ", style="dim")
            .append(pin.address.symbol or pin.address.path, style="bold")
            .append(f"  {mention.article}: {mention.title}")
        )
        out.print(f"    docs/en/{mention.page}.md:{mention.line}", style="dim")


def calls(
    address: Annotated[str, typer.Argument(metavar="ADDRESS", help="src:<path>::<function>")],
    root: RootOption = ROOT,
) -> None:
    """List what a function of a .cpp file calls, in the order of its compiled code.

    What stands below comes later on every way through the code; what stands on two ways of a branch has no
    order. A call through a table of virtual functions is a slot. Assertions stand with their lines.

    Examples:

    inside-torch calls src:torch/csrc/autograd/engine.cpp::Engine::thread_main
    """
    from inside_torch.pins.compiled import Code

    named = Address.parse(address if address.startswith("src:") else f"src:{address}")
    sources = Evidence.here(fetched=False)
    pin = resolve(named, sources)
    table = Table("", "", "", box=None, show_header=False)
    with Code(Libraries(sources.wheel.libraries)) as code:
        within, flows = code.flows(pin)
        flow = flows[0][0]
        for _, site in sorted(flow.sites.items(), key=lambda each: flow.place(each[0])):
            if not site.name.startswith(("std::", "operator ", "__cxa", "_Unwind", "free", "malloc", "mem")):
                number = f"{site.number}" if site.number else ""
                table.add_row(site.kind, number, Text(f"{site.name} {site.function}"))
    out.print(Text(within, style="bold"))
    out.print(table)


tree_app = typer.Typer(help="A PyTorch checkout at the pinned commit, the evidence that outranks witnesses.")


@tree_app.command("fetch")
def tree_fetch(root: RootOption = ROOT) -> None:
    """Fetch the pinned files that the release does not hold, at the pinned commit, with git into the cache.

    That is a few MB: the .cpp and .cu files that pages name, and no history. Where new pins name more files,
    call it again. `build --tree` and `serve --tree` call it, and show those files; verify and show read them
    from then on. lock takes lines from a checkout only where --tree names one.
    """
    wanted = PinLock.load(root).compiled
    with err.status(f"fetching {counted(len(wanted), 'file')} of PyTorch"):
        folder = fetch(wanted)
    tree = Tree(folder)
    for path in wanted:
        if tree.read(path) is None:
            err.print(Text(f"{path}: the commit has no such file", style="yellow"))
    out.print(f"{folder}: {counted(len(wanted), 'file')} at the pinned commit")


def register(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    app.command("lock")(lock)
    app.command("verify")(verify_all)
    app.command("show")(show)
    app.command("where")(where)
    app.command("calls")(calls)
    app.add_typer(tree_app, name="tree")
