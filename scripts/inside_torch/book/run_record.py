"""What the last runs of the suite proved of each article: ``docs/proof/<build>-on-<device>.json``."""

from __future__ import annotations

import hashlib
from pathlib import Path

from pydantic import Field

from inside_torch.book.language import ENGLISH
from inside_torch.book.recording import SNIPPETS, Record

FOLDER = Path("docs", "proof")
#: Every kind of run that there should be: build of torch, device of the examples.
RUNS = (("cpu", "cpu"), ("cuda", "cpu"), ("cuda", "cuda"), ("cuda", "dry"))
#: What is counted, in the order in which it is shown.
KINDS = ("probes", "programs", "paths", "exercises", "claims")


class Tally(Record):
    """How many tests of one kind passed, failed and were skipped."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0


class ArticleRun(Record):
    """One article in one run; ``digest`` is that of its text and snippets then."""

    date: str  # YYYY-MM-DD
    torch: str  # the whole version, with the local part
    machine: str
    device: str  # cpu, or the name of the GPU
    digest: str
    tallies: dict[str, Tally] = Field(default_factory=dict)


class RunRecord(Record):
    """The last run of every article on one build and one device."""

    build: str
    device: str
    articles: dict[str, ArticleRun] = Field(default_factory=dict)

    @classmethod
    def made_by(cls) -> str:
        return "a file made by `python3 scripts/dev.py test --record-proof`"

    @staticmethod
    def file(root: Path, build: str, device: str) -> Path:
        return root / FOLDER / f"{build}-on-{device}.json"

    @classmethod
    def of(cls, root: Path, build: str, device: str) -> RunRecord:
        """What is recorded; an empty one where such a run never happened."""
        file = cls.file(root, build, device)
        return cls.load(file) if file.is_file() else cls(build=build, device=device)


def article_digest(root: Path, slug: str) -> str:
    """sha256 of an article's English text and of its snippets, its first 16 hexadecimal digits; what a run
    leaves beside them is no part of it.
    """
    whole = hashlib.sha256((root / ENGLISH.docs / f"{slug}.md").read_bytes())
    for file in sorted((root / SNIPPETS / slug).rglob("*")):
        place = file.relative_to(root)
        left = any(part.startswith(".") or part == "__pycache__" for part in place.parts)
        if file.is_file() and not left:
            whole.update(place.as_posix().encode() + b"\0" + file.read_bytes())
    return whole.hexdigest()[:16]


def keep(root: Path, build: str, device: str, runs: dict[str, ArticleRun]) -> Path:
    """Write the runs of these articles over what was recorded of them before; the others stay.

    A run of one kind of test alone leaves the tallies of the others, where the article is the same.
    """
    articles = dict(RunRecord.of(root, build, device).articles)
    for slug, run in runs.items():
        before = articles.get(slug)
        if before is not None and before.digest == run.digest:
            run = run.model_copy(update={"tallies": before.tallies | run.tallies})
        articles[slug] = run
    file = RunRecord.file(root, build, device)
    file.parent.mkdir(parents=True, exist_ok=True)
    RunRecord(build=build, device=device, articles=dict(sorted(articles.items()))).dump(file)
    return file
