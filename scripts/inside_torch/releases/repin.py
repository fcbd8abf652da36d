"""The book moved to another release: in a copy of the repository, and back only when all of it could be.

What a person has to do first (an address whose symbol is gone, a probe that raises there) is done in the
repository, and the move begun again; the copy's environment is kept for that.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from inside_torch.errors import BookError
from inside_torch.pins import line_table
from inside_torch.pins.lock import FILE
from inside_torch.pins.release import RELEASE
from inside_torch.pins.witness import Libraries
from inside_torch.releases import line_table_move
from inside_torch.releases.stored import FOLDER, order
from inside_torch.releases.wheels import Release

#: Where the release is named, as (file, form of the line, what of the release it holds).
NAMED = (
    (Path("scripts", "dev.py"), r'^(RELEASE = ").*(")$', "version"),
    (Path("scripts", "inside_torch", "pins", "release.py"), r'^(RELEASE = ").*(")$', "version"),
    (Path("scripts", "inside_torch", "pins", "release.py"), r'^(COMMIT = ").*(")$', "commit"),
    (Path("docs", "theme", "main.html"), r"^( *<li>PyTorch ).*(</li>)$", "version"),
    (Path("pyproject.toml"), r'^(    "torch==).*(",)$', "version"),
)
TABLE = Path("scripts", "inside_torch", "pins", line_table.TABLE.name)
PROOF = Path("docs", "proof")
#: Where the pages about other releases are listed.
LISTS = ("mkdocs.yml", "docs/mkdocs.zh.yml", "docs/en/releases/index.md", "docs/zh/releases/index.md")
#: What a copy keeps from one try to the next: environments, and what builds leave.
KEPT = (".venv", ".venv-cuda", ".build")

#: Runs a command in a folder, its output on the terminal, and returns its exit status; replaced in tests.
Execute = Callable[[list[str], Path], int]


def execute(command: list[str], folder: Path) -> int:
    """As :data:`Execute` says; this process's virtual environment is not the copy's."""
    hidden = ("VIRTUAL_ENV", "PYTHONPATH", "INSIDE_TORCH_BUILD")
    environment = {name: value for name, value in os.environ.items() if name not in hidden}
    return subprocess.run(command, cwd=folder, env=environment).returncode


@dataclass
class Move:
    """The repository ``root`` on its way to ``release``, in the copy ``folder``.

    ``left`` are rows of the line table that could not be moved, ``failed`` the commands that ended in errors,
    as somebody would type them.
    """

    root: Path
    release: Release
    folder: Path
    build: str = "cpu"
    torch_index: str | None = None
    execute: Execute = execute
    left: list[line_table_move.UnmovedRow] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    _digests: dict[Path, str] = field(default_factory=dict)

    def stage(self, ours: Libraries) -> None:
        """Make the copy and put the release's name into it; what was recorded of ours is taken away.

        Raises :class:`BookError` where a file does not name the release as :data:`NAMED` says.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        for entry in self.folder.iterdir():
            if entry.name not in KEPT:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
        self._digests = {place: _digest(self.root / place) for place in files(self.root)}
        for place in self._digests:
            target = self.folder / place
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(self.root / place, target)
        # So that the copy, too, knows by .gitignore what is a file of the book.
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        self._name()
        self._forget()
        table, self.left = self._lines(ours)
        (self.folder / TABLE).write_text(line_table.text(table), encoding="utf-8")

    def _name(self) -> None:
        for place, form, what in NAMED:
            file = self.folder / place
            text = file.read_text(encoding="utf-8")
            new, count = re.subn(form, rf"\g<1>{getattr(self.release, what)}\g<2>", text, flags=re.M)
            if count != 1:
                raise BookError(
                    "repin-name", f"{count} lines like {form}", "one of them", file=self.root / place
                )
            file.write_text(new, encoding="utf-8")

    def _forget(self) -> None:
        """What was found out about the present release, and comparisons with those that are not ahead any
        more.
        """
        (self.folder / FILE).unlink(missing_ok=True)
        for file in (self.folder / PROOF).glob("*.json"):
            file.unlink()
        for file in (self.folder / FOLDER).glob("*.json"):
            if order(file.stem) > order(self.release.version):
                continue
            for about in (self.folder / FOLDER).glob(f"{file.stem}.*"):
                about.unlink()
            for page in self.folder.glob(f"docs/*/releases/{file.stem}.md"):
                page.unlink()
            for place in LISTS:
                if (listing := self.folder / place).is_file():
                    kept = [
                        line
                        for line in listing.read_text(encoding="utf-8").splitlines(keepends=True)
                        if f"{file.stem}.md" not in line
                    ]
                    listing.write_text("".join(kept), encoding="utf-8")

    def _lines(self, ours: Libraries) -> tuple[list[line_table.Row], list[line_table_move.UnmovedRow]]:
        assert self.release.libraries is not None
        return line_table_move.moved(ours, Libraries(self.release.libraries), self.release.version)

    def run(self) -> None:
        """Install the release into the copy, and lock and record the book there; :attr:`failed` tells how it
        went.

        Raises :class:`BookError` where the release cannot be installed, for then nothing can be tried.
        """
        setup = [sys.executable, "scripts/dev.py", "setup", "--build", self.build]
        setup += ["--torch-index", self.torch_index] if self.torch_index else []
        if status := self.execute(setup, self.folder):
            raise BookError(
                "repin-setup",
                f"torch {self.release.version} could not be installed: status {status}",
                "what `scripts/dev.py setup` asks for",
            )
        compared = (file.stem for file in (self.folder / FOLDER).glob("*.json"))
        later = [f"drift {version} --libraries --write" for version in sorted(compared, key=order)]
        locked = self._verb("lock -q")
        for verb in ("record -q", "trace --all -q", "count -q --smaller", "translated --behind"):
            self._verb(verb)
        # Without a lock each pin of each page would be an error more. What is to be read again is read in the
        # repository, where `check` asks for it.
        for verb in (*later, "check --without statement-unread") if locked else ():
            self._verb(verb)

    def _verb(self, verb: str) -> bool:
        """Run a verb in the copy; whether it ended well."""
        command = [sys.executable, "scripts/dev.py", "run", "--build", self.build, *verb.split()]
        failed = self.execute(command, self.folder) != 0
        self.failed += [f"inside-torch {verb}"] if failed else []
        return not failed

    def changed(self) -> list[Path]:
        """Every file that the move writes, changes or takes away, relative to the repository."""
        now = {place: _digest(self.folder / place) for place in files(self.folder)}
        return sorted(place for place in {*now, *self._digests} if now.get(place) != self._digests.get(place))

    def bring_back(self) -> list[Path]:
        """Put :meth:`changed` into the repository: all of it lies beside its places before the first takes
        one.

        Raises :class:`BookError` where a command failed, or a file was edited since the copy was made.
        """
        if self.failed:
            raise BookError("repin-failed", f"errors in {', '.join(self.failed)}", "a book without one")
        changed = self.changed()
        for place in changed:
            there = self.root / place
            if (_digest(there) if there.is_file() else None) != self._digests.get(place):
                raise BookError("repin-edited", "edited while the book moved", "the move again", file=place)
        parts: list[tuple[Path, Path]] = []
        try:
            for place in changed:
                if (source := self.folder / place).is_file():
                    parts.append((_beside(source, self.root / place), self.root / place))
            for part, target in parts:
                os.replace(part, target)
        except OSError as error:
            raise BookError(
                "repin-write", f"cannot be written: {error}", "room, and leave to write"
            ) from None
        finally:
            for part, _ in parts:
                part.unlink(missing_ok=True)
        for place in changed:
            if not (self.folder / place).is_file():
                (self.root / place).unlink()
        return changed


def _beside(source: Path, target: Path) -> Path:
    """A copy of a file in the folder of another, where a rename can put it into its place."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    os.close(handle)
    shutil.copy2(source, name)
    return Path(name)


def files(folder: Path) -> list[Path]:
    """The files of a repository that git would keep, relative to it; raises :class:`BookError` where it is
    none.
    """
    command = ["git", "-C", str(folder), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise BookError("repin-git", done.stderr.strip(), "a git repository", file=folder)
    places = {Path(name) for name in done.stdout.split("\0") if name}
    return sorted(place for place in places if (folder / place).is_file())


def _digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def naming(folder: Path, places: Iterable[Path]) -> list[tuple[Path, int, str]]:
    """(file, line, text) of every line of prose that names the present release: a person's to mend."""
    form = re.compile(rf"(?<![\d.]){re.escape(RELEASE.removesuffix('.0'))}(?!\d)")
    found = []
    for place in places:
        if place.suffix not in (".md", ".yml") or place.parts[0] in ("tests", "snippets"):
            continue
        for number, line in enumerate((folder / place).read_text(encoding="utf-8").splitlines(), start=1):
            if form.search(line):
                found.append((place, number, line.strip()))
    return found
