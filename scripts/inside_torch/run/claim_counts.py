"""Counting: the claims of an article are run in a child process, and held against what was counted before."""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inside_torch.book.claims import Claim, Count, Counts, Other, claims_of
from inside_torch.errors import BookError, counted
from inside_torch.run import devices
from inside_torch.run.machine import missing, torch_build
from inside_torch.run.process import PATIENT, Run, environment, run

#: The least share of the recorded members that must still be there.
LEAST = 0.8
CODE = "its code is another"
#: Seconds that a process has beside those of its claims, to import torch.
START = 120
#: The folder that holds this package, for an interpreter that has none of it.
_PACKAGE = Path(__file__).resolve().parents[2]
#: How many names an error says of each kind.
SAID = 12


@dataclass(frozen=True)
class ClaimTally:
    """What a claim said in this run: the names of all members and of those for which it does not hold."""

    claim: Claim
    names: list[str] = field(default_factory=list)
    exceptions: list[str] = field(default_factory=list)
    refused: bool = True  # whether the planted counterexample was
    error: str = ""

    @property
    def generated(self) -> bool:
        """Whether its members are made by hypothesis; then the names are not kept."""
        return "cases(" in self.claim.population


@dataclass(frozen=True)
class ClaimOutcome:
    """A claim that was counted, and how that differs from what is recorded (``changes``, a line each).

    ``error`` says what is wrong; a change is wrong only where nothing may be written.
    """

    claim: Claim
    count: int = 0
    holds: int = 0
    exceptions: tuple[str, ...] = ()
    changes: tuple[str, ...] = ()
    skipped: str = ""
    error: BookError | None = None


def run_claims(
    root: Path,
    claims: list[Claim],
    python: str = sys.executable,
    *,
    device: str = "cpu",
    start: Run | None = None,
) -> tuple[str, list[ClaimTally]]:
    """Count these claims of one article in one process, in their order: torch's version there, what they say.

    ``python`` may be the interpreter of another environment, with another torch; it needs nothing of ours.
    ``device`` is ``cpu`` or ``dry``. ``start`` runs the process,
    :func:`~inside_torch.run.process.run` unless it is given.
    """
    ours = {} if python == sys.executable else {"PYTHONPATH": str(_PACKAGE)}
    timeout = START + sum(claim.timeout for claim in claims)
    with tempfile.TemporaryDirectory(prefix="inside-torch-count-") as folder:
        results = Path(folder) / "results.jsonl"
        source = root / claims[0].file
        names = [claim.id for claim in claims]
        finished = devices.starter(device, start or run)(
            [python, "-m", "inside_torch.claims.child", str(source), str(results), *names],
            cwd=source.parent,
            timeout=timeout,
            env=environment(**PATIENT, **ours, **devices.variables(device)),
        )
        lines = results.read_text(encoding="utf-8").splitlines() if results.is_file() else []
    version, *said = [json.loads(line) for line in lines] or [{"torch": ""}]
    told = {one["claim"]: one for one in said}
    ended = "" if finished.status == 0 else _ended(finished.status, finished.errors, timeout)
    return version["torch"], [_tally(claim, told.get(claim.id), ended) for claim in claims]


def _ended(status: int | None, errors: str, timeout: float) -> str:
    last = "\n".join("    " + line for line in errors.strip().splitlines()[-15:])
    how = f"no end after {timeout} s" if status is None else f"the process ended with status {status}"
    return f"{how}\n{last}".rstrip()


def _tally(claim: Claim, told: dict[str, Any] | None, ended: str) -> ClaimTally:
    if told is None:
        return ClaimTally(claim, error=ended or "it was not counted")
    if "error" in told:
        trace = "\n".join("    " + line for line in told["traceback"].strip().splitlines())
        return ClaimTally(claim, error=f"{told['error']}\n{trace}")
    return ClaimTally(claim, told["names"], told["exceptions"], told["planted"])


def count_article(
    root: Path,
    article: str,
    *,
    only: str = "",
    check: bool = False,
    smaller: bool = False,
    start: Run | None = None,
) -> Iterator[ClaimOutcome]:
    """Count the claims of an article, and record them unless ``check``.

    ``only`` is the id of one claim; ``smaller`` says that a population that shrank is meant; ``start`` is
    that of :func:`run_claims`. A claim that is wrong is an outcome with an error; the others are recorded.
    """
    release, build = torch_build()
    known = claims_of(root, article)
    file = Counts.file(root, article)
    recorded = Counts.load(file) if file.is_file() else None
    wanted = [claim for claim in known.values() if only in ("", claim.id)]
    tallies: dict[str, ClaimTally] = {}
    for device, builds in ("cpu", ("", _kind(build))), ("dry", ("dry",)):
        here = [claim for claim in wanted if claim.build in builds]
        if here and not missing(device):
            said = run_claims(root, here, device=device, start=start)[1]
            tallies |= {tally.claim.id: tally for tally in said}
    sound: list[ClaimTally] = []
    for claim in wanted:
        tally = tallies.get(claim.id)
        if tally is None:
            yield ClaimOutcome(claim, skipped=_elsewhere(claim))
            continue
        changes = differences(tally, recorded)
        error = wrong(tally, recorded, smaller=smaller and not check)
        if not error and check and changes:
            error = _error("claim-count", tally, "it was counted otherwise", changes, "inside-torch count")
        if not error:
            sound.append(tally)
        exceptions = tuple(tally.exceptions)
        holds = len(tally.names) - len(exceptions)
        yield ClaimOutcome(claim, len(tally.names), holds, exceptions, tuple(changes), error=error)
    if not check:
        made = record(article, release, build, known, recorded, sound)
        if sound and made != recorded:
            made.dump(file)


def _elsewhere(claim: Claim) -> str:
    """Why a claim is not counted here."""
    return missing("dry") if claim.build == "dry" else f"it is counted on the {claim.build} build alone"


@dataclass(frozen=True)
class Elsewhere:
    """A claim as another release has it: its numbers there, and how they differ from the record."""

    claim: Claim
    version: str
    count: int = 0
    holds: int = 0
    changes: tuple[str, ...] = ()
    error: str = ""


def count_against(
    root: Path, article: str, python: str, *, only: str = "", check: bool = False
) -> Iterator[Elsewhere]:
    """Count an article's claims with the torch of another interpreter; keep the numbers unless ``check``.

    A claim whose own code fails there is told with its error, and kept with no number; one of the dry GPU is
    left out. Raises :class:`BookError` where the article was never counted here.
    """
    file = Counts.file(root, article)
    recorded = Counts.load(file)
    known = [claim for claim in claims_of(root, article).values() if claim.build != "dry"]
    wanted = [claim for claim in known if only in ("", claim.id)]
    version, tallies = run_claims(root, wanted, python) if wanted else ("", [])
    release, _, build = version.partition("+")
    others = {name: list(kept) for name, kept in recorded.others.items()}
    for tally in tallies:
        error = tally.error or ("" if tally.refused else "it holds for its planted counterexample")
        if error:
            yield Elsewhere(tally.claim, version, error=error)
            continue
        if release and release != recorded.release:
            kept = [one for one in others.get(tally.claim.id, []) if one.release != release]
            members, ours = set(tally.names), set(_recorded_names(tally, recorded))
            now = Other(
                release=release,
                build=build,
                count=len(tally.names),
                exceptions=tally.exceptions,
                came=sorted(members - ours) if ours else [],
                went=sorted(ours - members),
            )
            others[tally.claim.id] = sorted([*kept, now], key=lambda one: one.release)
        changes = [line for line in differences(tally, recorded) if line != CODE]
        holds = len(tally.names) - len(tally.exceptions)
        yield Elsewhere(tally.claim, version, len(tally.names), holds, tuple(changes))
    if not check and others != recorded.others:
        recorded.model_copy(update={"others": others}).dump(file)


def _recorded_names(tally: ClaimTally, recorded: Counts) -> list[str]:
    """The members that are recorded of a claim; none where they are generated, or it was not counted here."""
    known = tally.claim.id in recorded.claims and not tally.generated
    return recorded.names(tally.claim.id) if known else []


def _kind(build: str) -> str:
    """``cpu`` or ``cuda``, of ``cpu`` or ``cu130``."""
    return "cuda" if build.startswith("cu") else build


def wrong(tally: ClaimTally, recorded: Counts | None, *, smaller: bool) -> BookError | None:
    """What no run may show: a claim that fails, that cannot fail, or whose members are gone."""
    if tally.error:
        return _error("claim-count", tally, tally.error)
    if not tally.refused:
        return _error("claim-planted", tally, "it holds for its planted counterexample")
    if not tally.names:
        return _error("claim-population", tally, "its population is empty")
    if len(tally.names) < tally.claim.minimum:
        text = f"{counted(len(tally.names), 'member')}, and at least {tally.claim.minimum} are asked for"
        return _error("claim-population", tally, text)
    before = recorded.claims.get(tally.claim.id) if recorded else None
    if recorded and before and len(tally.names) < LEAST * before.count and not smaller:
        text = f"{counted(len(tally.names), 'member')}, where {before.count} were recorded"
        gone = _names("gone", sorted(set(recorded.names(tally.claim.id)) - set(tally.names)))
        return _error("claim-population", tally, text, gone, "inside-torch count --smaller, if that is meant")
    return None


def differences(tally: ClaimTally, recorded: Counts | None) -> list[str]:
    """How a run differs from what is recorded, each on a line."""
    before = recorded.claims.get(tally.claim.id) if recorded else None
    if tally.error or before is None:
        return [] if tally.error else ["it was not counted before"]
    found = []
    if before.sentence != tally.claim.sentence or before.code_digest != tally.claim.digest:
        found.append(CODE)
    if before.count != len(tally.names):
        found.append(f"{before.count} members before, {len(tally.names)} now")
    now, then = set(tally.exceptions), set(before.exceptions)
    found += _names("exceptions that are new", sorted(now - then))
    found += _names("exceptions that are gone", sorted(then - now))
    if recorded and not tally.generated:
        members, kept = set(tally.names), set(recorded.names(tally.claim.id))
        found += _names("members that came", sorted(members - kept))
        found += _names("members that went", sorted(kept - members))
    return found


def _names(what: str, names: list[str]) -> list[str]:
    more = f", and {len(names) - SAID} more" if len(names) > SAID else ""
    return [f"{what} ({len(names)}): {', '.join(names[:SAID])}{more}"] if names else []


def _error(
    rule: str, tally: ClaimTally, found: str, lines: list[str] | None = None, expected: str = ""
) -> BookError:
    text = "\n".join([f"{tally.claim.id}: {found}", *(f"    {line}" for line in lines or [])])
    return BookError(rule, text, expected, file=tally.claim.file, line=tally.claim.line)


def record(
    article: str,
    release: str,
    build: str,
    known: dict[str, Claim],
    before: Counts | None,
    sound: list[ClaimTally],
) -> Counts:
    """The record with what was counted now; a claim that is no more leaves it."""
    counts = {name: one for name, one in (before.claims if before else {}).items() if name in known}
    populations = dict(before.populations) if before else {}
    for tally in sound:
        key = "" if tally.generated else tally.claim.population
        counts[tally.claim.id] = Count(
            sentence=tally.claim.sentence,
            code_digest=tally.claim.digest,
            population=key,
            count=len(tally.names),
            exceptions=tally.exceptions,
        )
        if key:
            populations[key] = "\t".join(tally.names)
    others = _others(before, counts, release)
    used = {one.population for one in counts.values()}
    return Counts(
        article=article,
        release=release,
        # A file whose claims are of several builds is counted in turns.
        build=before.build if before and before.release == release else build,
        claims={name: counts[name] for name in known if name in counts},
        populations={name: populations[name] for name in sorted(populations) if name in used},
        others=others,
    )


def _others(before: Counts | None, counts: dict[str, Count], release: str) -> dict[str, list[Other]]:
    """What other releases said of claims whose code is as it was; that of the record, if it is another."""
    found: dict[str, list[Other]] = {}
    if before is None:
        return found
    for name, then in before.claims.items():
        if name not in counts or counts[name].code_digest != then.code_digest:
            continue
        told = [one for one in before.others.get(name, []) if one.release != release]
        if before.release != release and not any(one.release == before.release for one in told):
            past = Other(
                release=before.release, build=before.build, count=then.count, exceptions=then.exceptions
            )
            told.append(past)
        if told:
            found[name] = sorted(told, key=lambda one: one.release)
    return found
