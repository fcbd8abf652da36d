"""Measurements: what a program's ``measure()`` returns, recorded with the machine that it ran on."""

from __future__ import annotations

import datetime
import json
import math
import sys
import tempfile
from pathlib import Path

from inside_torch.book.recording import Program, Results
from inside_torch.errors import BookError
from inside_torch.run.machine import machine, torch_build
from inside_torch.run.process import environment, run

TIMEOUT = 900  # seconds


def measure(program: Program) -> Results:
    """Run ``measure()`` of a program in a fresh process. Raises :class:`BookError` where it fails."""
    with tempfile.TemporaryDirectory(prefix="inside-torch-measure-") as folder:
        file = Path(folder) / "values.json"
        finished = run(
            [sys.executable, "-m", "inside_torch.run.launch", str(program.source), "--measure", str(file)],
            cwd=program.source.parent,
            timeout=TIMEOUT,
            env=environment(),
        )
        if finished.status is None:
            raise BookError("measure", f"measure() did not end in {TIMEOUT} s", file=program.source)
        if finished.status or not file.is_file():
            errors = "\n".join("    " + line for line in finished.errors.strip().splitlines()[-15:])
            raise BookError("measure", f"measure() failed\n{errors}", file=program.source)
        values = json.loads(file.read_text())
    if not isinstance(values, dict) or not values:
        raise BookError(
            "measure", f"measure() returned {values!r}", "a mapping of names to numbers", file=program.source
        )
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise BookError("measure", f"`{name}` is {value!r}", "a finite number", file=program.source)
    return Results(
        program=program.name,
        program_digest=program.digest,
        date=datetime.date.today().isoformat(),
        build="{}+{}".format(*torch_build()),
        machine=machine(),
        values=values,
    )


def fresh(program: Program, results: Results) -> None:
    """Raise :class:`BookError` (rule ``results-stale``) where the program has changed since."""
    if results.program_digest != program.digest:
        raise BookError(
            "results-stale",
            f"{program.name} has changed since it was measured",
            f"inside-torch measure {program.name}",
            file=program.results,
        )
