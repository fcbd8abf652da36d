"""What ``inside-torch record`` does: run probes and programs, then write what they printed, or compare it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from inside_torch.book.page import Page
from inside_torch.book.recording import Output
from inside_torch.errors import BookError, nearest
from inside_torch.files import write_whole
from inside_torch.run import page_run, probes, process, programs
from inside_torch.run.devices import starter
from inside_torch.run.machine import missing
from inside_torch.run.process import Run


@dataclass(frozen=True)
class Outcome:
    """One probe or program that was run: ``changed`` says that it printed something new.

    ``stderr`` is what a probe that failed wrote there; that of one that passed is nobody's concern.
    """

    id: str
    changed: bool = False
    skipped: str = ""  # for this reason
    error: BookError | None = None
    stderr: str = ""


def record_page(
    page: Page, *, only: str = "", check: bool = False, run: Run = process.run
) -> Iterator[Outcome]:
    """Run the probes of a page on the CPU, and write their ``#>`` lines into it unless ``check``.

    ``only`` is the id of a probe: then it is run with those of its group, and no other. A probe that fails is
    an outcome with an error; the others are written. ``run`` runs a command.
    """
    before = page.file.read_text(encoding="utf-8")
    page = Page.load(page.root, page.file, page.language)
    found = probes.probes_of(page)
    wanted = _group(page, found, only) if only else found
    changes: dict[int, tuple[probes.Probe, str]] = {}
    by_device: dict[str, list[probes.Probe]] = {}
    for probe in wanted:
        by_device.setdefault(probe.block.devices[0], []).append(probe)
    ran: dict[int, page_run.Ran] = {}
    for device, some in by_device.items():
        if not missing(device):
            told = page_run.run_page(some, device, starter(device, run))
            ran |= zip((probe.line for probe in some), told, strict=True)
    for probe in wanted:
        if probe.line not in ran:
            yield Outcome(probe.id, skipped=missing(probe.block.devices[0]))
            continue
        one = ran[probe.line]
        try:
            if one.error:
                raise one.error
            if check:
                probes.check(probe, one.text)
        except BookError as error:
            yield Outcome(probe.id, error=error, stderr=one.stderr)
            continue
        if one.text != probe.source:
            changes[probe.line] = (probe, one.text)
        yield Outcome(probe.id, changed=one.text != probe.source)
    if changes and not check:
        if page.file.read_text(encoding="utf-8") != before:
            raise BookError(
                "page-edited", "the page was edited while its probes ran", "record again", file=page.path
            )
        write_whole(page.file, probes.rewrite(before, changes))


def _group(page: Page, found: list[probes.Probe], only: str) -> list[probes.Probe]:
    """The probe of an id and those that share its globals."""
    for probe in found:
        if probe.block.id == only:
            return [other for other in found if other.block.group == probe.block.group]
    known = [probe.block.id for probe in found if probe.block.id]
    raise BookError(
        "probe-unknown",
        f"no probe with the id `{only}`",
        "the id of a probe of this page",
        nearest(only, known) or ", ".join(known),
        page.path,
    )


def record_program(told: programs.ProgramRun, *, check: bool = False, run: Run = process.run) -> Outcome:
    """Run a program on its first device, and write what it printed beside it unless ``check``.

    ``run`` runs a command.
    """
    device = told.devices[0]
    if reason := programs.skip_reason(told, device):
        return Outcome(told.id, skipped=reason)
    try:
        text = programs.execute(told, device, starter(device, run))
        if check:
            programs.check(told, text)
            return Outcome(told.id)
    except BookError as error:
        return Outcome(told.id, error=error)
    file = told.program.output
    changed = not file.is_file() or Output.load(file).text != text
    if changed:
        Output(text).dump(file)
    return Outcome(told.id, changed=changed)
