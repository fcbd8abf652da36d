"""Probes of one page on one device, run in a process of their own: no page sees what another did to torch.

``python -m inside_torch.run.page_run <root> <page> <device> <results.jsonl> <line> …``: the probes whose
fences begin at these lines are run in the order of the page. For each a line of JSON is written as soon as it
has ended, so that a process which ends early has told what it did.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from inside_torch.book.language import LANGUAGES
from inside_torch.book.page import Page
from inside_torch.errors import BookError
from inside_torch.run import process
from inside_torch.run.devices import variables
from inside_torch.run.probes import GRACE, TIMEOUT, Probe, ProbeFailed, Runner, probes_of
from inside_torch.run.process import PATIENT, Quiet, Run, environment


@dataclass(frozen=True)
class Ran:
    """One probe that was run: the text that it should have, or what is wrong with it.

    ``stderr`` is what a probe that failed wrote there; that of one that passed is nobody's concern.
    """

    text: str = ""
    error: BookError | None = None
    stderr: str = ""


def run_page(wanted: Collection[Probe], device: str, run: Run = process.run) -> Iterator[Ran]:
    """Run probes of one page, each after those above it in its group; ``run`` runs a command.

    Where their process ends early, the probes of its group share the fate of the one that it had come to;
    the rest go on in another process.
    """
    told: dict[int, dict[str, Any]] = {}
    ended: dict[int, process.Finished] = {}
    left = sorted(wanted, key=lambda probe: probe.line)
    while left:
        said, finished = _child(left, device, run)
        told |= said
        left = [probe for probe in left if probe.line not in said]
        lost = {p.line for p in left if finished.status is None or p.block.group == left[0].block.group}
        ended |= dict.fromkeys(lost, finished)
        left = [probe for probe in left if probe.line not in lost]
    for probe in wanted:
        if one := told.get(probe.line):
            error = one.pop("error")
            yield Ran(error=ProbeFailed(**error) if error else None, **one)
        else:
            finished = ended[probe.line]
            ending = "the time was up" if finished.status is None else f"exit status {finished.status}"
            error = ProbeFailed("probe", f"its process ended: {ending}", file=probe.path, line=probe.line)
            yield Ran(error=error, stderr=finished.errors)


def _child(
    wanted: Sequence[Probe], device: str, run: Run
) -> tuple[dict[int, dict[str, Any]], process.Finished]:
    """What a process has told of the probes, by their lines, and how it ended."""
    first, *_ = wanted
    lines = [str(probe.line) for probe in wanted]
    with tempfile.TemporaryDirectory(prefix="inside-torch-page-") as scratch:
        results = Path(scratch) / "results.jsonl"
        results.touch()
        place = [str(first.root.resolve()), str(first.path), device, str(results)]
        finished = run(
            [sys.executable, "-m", "inside_torch.run.page_run", *place, *lines],
            cwd=first.root.resolve(),
            timeout=(TIMEOUT + GRACE) * len(lines),
            env=environment(**PATIENT, **variables(device)),
        )
        told = {said.pop("at"): said for said in map(json.loads, results.read_text("utf-8").splitlines())}
    return told, finished


def main() -> None:
    """In the process of the page: run, and write."""
    root, place, device, results, *lines = sys.argv[1:]
    file = Path(root) / place
    language = next(one for one in LANGUAGES if file.is_relative_to(Path(root) / one.docs))
    page = probes_of(Page.load(Path(root), file, language))
    # A probe that cannot be ended has its last words said past what keeps its stderr.
    with os.fdopen(os.dup(2), "w") as last_words, open(results, "w", encoding="utf-8") as stream:
        runner = Runner(last_words=last_words)
        for probe in page:
            if str(probe.line) not in lines:
                continue
            said: dict[str, object] = {"at": probe.line, "text": "", "error": None, "stderr": ""}
            quiet = Quiet()
            try:
                with quiet:
                    said["text"] = runner.run(probe, device, page)
            except BookError as error:
                said["error"] = {one.name: getattr(error, one.name) for one in fields(error)}
                said["stderr"] = quiet.text
            print(json.dumps(said, default=str), file=stream, flush=True)


if __name__ == "__main__":
    main()
