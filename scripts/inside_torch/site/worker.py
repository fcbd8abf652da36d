"""A process for each language: both are built at once, on fresh code, and stay warm for edits."""

from __future__ import annotations

import multiprocessing
import multiprocessing.connection
import os
import signal
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from inside_torch.book.language import ENGLISH
from inside_torch.errors import BookError

if TYPE_CHECKING:
    from inside_torch.site.build import Report


def _work(
    pipe: multiprocessing.connection.Connection, root: Path, language: str, docs: Path, out: Path, url: str
) -> None:
    """Answer each request of the pipe, ``None`` for everything or a list of changed paths, with a report."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides when to end
    os.chdir(root)  # from where the extension finds the book
    try:
        from inside_torch.site.build import LanguageSite, Report, use_fixed_date
    except Exception:  # our own code, in the middle of an edit
        pipe.recv()
        pipe.send("Our own code cannot be loaded:\n" + traceback.format_exc())
        return
    use_fixed_date(root)
    site = LanguageSite(root, language, docs, out, url)
    while True:
        try:
            changed = pipe.recv()
        except EOFError:
            return
        try:
            report = site.build() if changed is None else site.refresh(changed)
        except Exception:
            report = Report(errors=["An error in our own code:\n" + traceback.format_exc()])
        pipe.send(report)


class Workers:
    """Builders of several languages, each in its process. Close them when done."""

    def __init__(self, root: Path, languages: tuple[str, ...], staged: Path, out: Path, url: str) -> None:
        """``en`` is read from ``docs/en``, others from below ``staged``; each goes to ``out/<language>``."""
        spawn = multiprocessing.get_context("spawn")
        self.pipes: dict[str, multiprocessing.connection.Connection] = {}
        self.processes = []
        for language in languages:
            docs = root / ENGLISH.docs if language == ENGLISH.code else staged / language
            ours, theirs = spawn.Pipe()
            process = spawn.Process(
                target=_work,
                args=(theirs, root, language, docs, out / language, f"{url.rstrip('/')}/{language}/"),
                daemon=True,
            )
            process.start()
            theirs.close()
            self.pipes[language] = ours
            self.processes.append(process)

    def ask(self, changed: list[Path] | None) -> dict[str, Report]:
        """LanguageSite to :class:`~inside_torch.site.build.Report`; ``None`` builds everything.

        Raises :class:`BookError` where a builder ended or could not begin.
        """
        try:
            for pipe in self.pipes.values():
                pipe.send(changed)
            answers = {language: pipe.recv() for language, pipe in self.pipes.items()}
        except (EOFError, OSError):
            raise BookError(
                "build", "a builder ended before its work was done", "memory for two builds"
            ) from None
        for answer in answers.values():
            if isinstance(answer, str):
                raise BookError("build", answer, "code that can be loaded")
        return answers

    def close(self) -> None:
        for pipe in self.pipes.values():
            pipe.close()
        for process in self.processes:
            process.join(timeout=2)
            if process.is_alive():
                process.terminate()
                process.join(timeout=2)
                process.kill()

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
