"""The verbs about other releases of torch: drift, repin."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from inside_torch.cli import ROOT, RootOption
from inside_torch.errors import BookError, counted
from inside_torch.files import write_whole
from inside_torch.pins.release import RELEASE
from inside_torch.pins.witness import Libraries
from inside_torch.releases.drift import STATES, Drift
from inside_torch.releases.stored import Stored, of_drifts, stored

if TYPE_CHECKING:
    from inside_torch.releases.passages import Passage

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)

STYLE = {"same": "green", "moved": "green", "changed": "yellow", "gone": "red", "unknown": "dim"}


def drift(
    version: Annotated[str, typer.Argument(metavar="VERSION", help="Another release, such as 2.15.0.")],
    libraries: Annotated[
        bool,
        typer.Option("--libraries", help="Compare pins of .cpp files too (downloads its Linux wheel)."),
    ] = False,
    write: Annotated[bool, typer.Option("--write", help="Keep the result in docs/drift/.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Fail where what is kept says otherwise.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print it for a program.")] = False,
    words: Annotated[
        bool,
        typer.Option("--words", help="Print a draft of words about the changed pins that have none."),
    ] = False,
    read: Annotated[
        str,
        typer.Option(
            help="Numbers (`2,5-7`) or `all`: these entries of words I have read beside the differences, "
            "and they say it."
        ),
    ] = "",
    root: RootOption = ROOT,
) -> None:
    """Say what another release did to every pin: same, moved, changed or gone; and what to read again.

    The release is read from its wheel, which is downloaded once (about 130 MB; its libraries about 540)
    and not installed.

    Examples:

    inside-torch drift 2.15.0

    inside-torch drift 2.15.0 --libraries --write

    inside-torch drift 2.15.0 --libraries --words > ../draft.yml

    inside-torch drift 2.15.0 --read 3,5-7
    """
    from inside_torch.book.whole_book import Book
    from inside_torch.pins.lock import Evidence, PinLock
    from inside_torch.pins.wheel import Wheel
    from inside_torch.releases.descriptions import Descriptions, ReleaseDescriptions, draft, prove
    from inside_torch.releases.drift import Comparison, counts
    from inside_torch.releases.passages import passages
    from inside_torch.releases.wheels import release

    if version == RELEASE:
        raise BookError("release-version", f"{version} is the book's own release", "another one")
    if read:
        _note_read(version, read, root)
        return
    lock = PinLock.load(root)
    theirs = release(version, libraries=libraries)
    begun = time.monotonic()
    drifts = list(Comparison(lock, Evidence(Wheel.find()), theirs))
    kept = of_drifts(version, theirs.commit, libraries, drifts)
    again = passages(Book.load(root), drifts)
    if as_json:
        told = [{name: value for name, value in asdict(one).items() if name != "texts"} for one in drifts]
        out.print_json(json.dumps(told, ensure_ascii=False))
    elif words:
        for line in draft(Descriptions(root, stored(root, kept)), kept, drifts):
            typer.echo(line)
    else:
        _print(drifts, again)
        _print_claims(version, root)
        found = ", ".join(f"{count} {state}" for state, count in counts(drifts).items() if count)
        out.print(f"{RELEASE} against {version}: {found} ({time.monotonic() - begun:.1f} s)", style="bold")
    if (write or check) and (said := ReleaseDescriptions.load(root, version)):
        prove(said, drifts)
    if write:
        out.print(f"written: {kept.save(root).relative_to(root)}", style="dim")
    if check:
        _against(Stored.load(root, version), kept)


def _note_read(version: str, chosen: str, root: Path) -> None:
    """Notes of entries of words that they were read; the comparison is the one that is kept."""
    from inside_torch.cli.book import numbers
    from inside_torch.releases.descriptions import ReleaseDescriptions, note_read

    kept, said = Stored.load(root, version), ReleaseDescriptions.load(root, version)
    if said is None:
        raise BookError("words-release", f"no words about {version}", "a file of words in docs/drift")
    entries = numbers(chosen, len(said.changes), "words-unread")
    note_read(said, kept.drifts, entries)
    out.print(f"{said.file.relative_to(root)}: {counted(len(entries), 'description')} noted as read")


def _print(drifts: Sequence[Drift], again: dict[str, list[tuple[Drift, Passage]]]) -> None:
    """The pins that need somebody, with their differences, then the passages that speak of them."""
    for one in drifts:
        if one.state in ("same", "moved"):
            continue
        out.print(Text(f"{one.state:8}", style=STYLE[one.state]).append(one.address, style="bold"))
        if one.why:
            out.print(f"         {one.why}", style="dim", markup=False)
        for line in one.diff[2:]:
            style = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
            out.print(Text(f"         {line[:120]}", style=style))
        if one.home:
            out.print(f"         perhaps now: {', '.join(one.home)}", markup=False)
    for page, several in again.items():
        out.print(Text(f"read again  {page}", style="bold"))
        for one, passage in several:
            out.print(f"  line {passage.line}, #{passage.heading}: {passage.words}", markup=False)
            out.print(Text(f"    {one.state} {one.address}", style=STYLE[one.state]))


def _print_claims(version: str, root: Path) -> None:
    """What was counted of the book's claims on that release."""
    from inside_torch.releases.recounted import recounted

    claims = list(recounted(root, version))
    for one in claims:
        if one.theirs and one.differs:
            numbers = f"{one.ours.holds} of {one.ours.count}, there {one.theirs.holds} of {one.theirs.count}"
            out.print(Text("claim   ").append(one.claim.name, style="bold").append(f": {numbers}"))
            changes = {
                "came": one.theirs.came,
                "went": one.theirs.went,
                "new exceptions": one.excepted,
                "exceptions gone": one.held,
            }
            for what, names in changes.items():
                if names:
                    out.print(f"         {what}: {', '.join(names)}", markup=False)
    missing = [one.claim.name for one in claims if one.theirs is None]
    if missing:
        how = "`inside-torch count --against <its Python>`"
        out.print(f"not counted on {version}: {', '.join(missing)}; {how}", style="yellow", markup=False)


def _place(drift: Drift) -> tuple[object, ...]:
    return drift.state, drift.first, drift.last, drift.after


def _against(kept: Stored, now: Stored) -> None:
    """Raises :class:`BookError` where the kept comparison says something else of a pin than the new one."""
    for address, drift in now.drifts.items():
        before = kept.drifts.get(address)
        if before is None or _place(before) != _place(drift):
            said = f"{before.state} at {before.first}-{before.last}" if before else "nothing"
            raise BookError(
                "drift-changed",
                f"{address}: {said} in the file, {drift.state} at {drift.first}-{drift.last} now",
                f"`inside-torch drift {now.version} --write`",
                file=kept.file(Path(), now.version),
            )


def repin(
    version: Annotated[
        str, typer.Argument(metavar="VERSION", help="The release to move to, such as 2.15.0.")
    ],
    build: Annotated[
        str, typer.Option("--build", help="The build to install and record with: cpu or cuda.")
    ] = "cpu",
    torch_index: Annotated[
        str | None, typer.Option("--torch-index", metavar="URL", help="Where pip also looks for torch.")
    ] = None,
    root: RootOption = ROOT,
) -> None:
    """Move the whole book to another release: lock, links, recorded outputs and paths.

    Everything is done in a copy, with the release installed there (several GB), and comes back only when
    all of it could be; else what stands in the way is printed, to be mended here and tried again. What a
    person must read is left in docs/read-again.md, and `inside-torch check` is red until it is done.

    Examples:

    inside-torch repin 2.15.0

    inside-torch repin 2.15.0 --build cuda
    """
    from inside_torch.pins.lock import Evidence, PinLock
    from inside_torch.releases import read_again, wheels
    from inside_torch.releases.drift import Comparison
    from inside_torch.releases.repin import Move

    if version == RELEASE:
        raise BookError("release-version", f"{version} is the book's own release", "another one")
    if build not in ("cpu", "cuda"):
        raise BookError("repin-build", f"{build!r} is no build", "cpu or cuda")
    root = root.resolve()
    ours = Evidence.here()
    theirs = wheels.release(version, libraries=True)
    assert isinstance(ours.witnesses, Libraries)
    drifts = list(Comparison(PinLock.load(root), ours, theirs))
    move = Move(root, theirs, wheels.cache() / version / "moved", build, torch_index)
    move.stage(ours.witnesses)
    err.print(f"the copy: {move.folder}", style="dim")
    move.run()
    if move.failed:
        raise BookError(
            "repin-failed",
            f"nothing was written, for errors are left in: {', '.join(move.failed)}",
            f"pages and snippets of this repository that hold in {version}; then the same command again",
        )
    todo = read_again.checklist(move, drifts)
    write_whole(move.folder / read_again.LIST, todo)
    written = move.bring_back()
    out.print(f"moved to {version}: {counted(len(written), 'file')} written", style="green")
    out.print(f"{read_again.LIST}: {counted(todo.count('- [ ]'), 'thing')} to read again")


def register(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    assert set(STYLE) == set(STATES)
    app.command("drift")(drift)
    app.command("repin")(repin)
