"""What a run leaves beside its program: printed output, a call path, measured numbers.

The room ``run`` writes these files, ``render`` draws them. A program is named by its place below
``snippets/``: ``module-02-autograd/running-backward/one_backward``; one of several files is a folder with
``main.py``, named ``…/folder/main`` or just ``…/folder``.
"""

from __future__ import annotations

import functools
import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import BaseModel, ConfigDict, ValidationError

from inside_torch.digest import sealed, unsealed
from inside_torch.errors import BookError, nearest
from inside_torch.files import write_whole

SNIPPETS = "snippets"

#: Suffixes of the files that a program of several files consists of.
SOURCES = (".py", ".cpp", ".h", ".cu")
#: Files of such a program's folder that are for the reader who copies it.
PACKAGING = ("README.md", "pyproject.toml")

#: The files of an exercise: with its hole, its test, its solution; and what its wrong ones are called.
HOLE, TEST, SOLUTION, WRONG = "exercise.py", "test_exercise.py", "solution.py", "wrong_*.py"
EXERCISE = (HOLE, TEST, SOLUTION)


@dataclass(frozen=True)
class Program:
    """A program below ``snippets/`` and the files that belong to it."""

    name: str  # below snippets/, with no suffix
    source: Path  # the file that is run

    @classmethod
    def find(cls, root: Path, subject: str) -> Program:
        """The program that a fence names: with its suffix or without, by its folder or any file in it.

        Raises :class:`BookError` (rule ``no-such-program``) that names the nearest ones.
        """
        base = root / SNIPPETS
        wanted = base / subject
        inside = not Path(subject).is_absolute() and ".." not in Path(subject).parts
        for file in (wanted, base / f"{subject}.py", wanted / "main.py"):
            if not inside or not file.is_file():
                continue
            parts = file.relative_to(base).parts
            mains = [base.joinpath(*parts[:depth], "main.py") for depth in range(3, len(parts))]
            source = next((main for main in mains if main.is_file()), file)
            if source.suffix == ".py":
                return cls(source.relative_to(base).with_suffix("").as_posix(), source)
        known = [file.relative_to(base).as_posix() for file in base.rglob("*.py")]
        raise BookError(
            "no-such-program",
            f"no program {SNIPPETS}/{subject}",
            f"a file below {SNIPPETS}/",
            nearest(subject, known),
        )

    @property
    def files(self) -> list[Path]:
        """All files that make up the program: its own, or for a ``main.py`` the sources of its folder."""
        if self.source.name != "main.py" or len(Path(self.name).parts) < 4:
            return [self.source]
        return sorted(file for file in self.source.parent.rglob("*") if file.suffix in SOURCES)

    @property
    def packaging(self) -> list[Path]:
        """What a folder holds beside its sources so that a reader can copy it and start; it is not run."""
        if self.files == [self.source]:
            return []
        return [file for name in PACKAGING if (file := self.source.parent / name).is_file()]

    @property
    def digest(self) -> str:
        """sha256 of the names and bytes of :attr:`files`, its first 16 hexadecimal digits."""
        whole = hashlib.sha256()
        for file in self.files:
            whole.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
        return whole.hexdigest()[:16]

    @property
    def output(self) -> Path:
        """Where its recorded output lies."""
        return self.source.with_suffix(".out")

    @property
    def path(self) -> Path:
        """Where its recorded call path lies."""
        return self.source.with_suffix(".path.json")

    @property
    def trace(self) -> Path:
        """Where it is said which symbols the path recorder listens to."""
        return self.source.with_suffix(".trace.yml")

    @property
    def results(self) -> Path:
        """Where its measured numbers lie."""
        return self.source.with_suffix(".results.json")


class Record(BaseModel):
    """A JSON file that a run leaves, or a part of one.

    The file carries a digest over all of it, so that one edited by hand is refused, on a machine too where
    nothing can be recorded again.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def load(cls, file: Path) -> Self:
        """Read a recording; :class:`BookError` (rule ``recording``) where it is absent, malformed, edited."""
        try:
            return _read(cls, file.read_bytes())
        except FileNotFoundError:
            raise BookError("recording", "no such recording", cls.made_by(), file=file) from None
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"])
            raise BookError(
                "recording", f"{where}: {first['msg']}" if where else first["msg"], cls.made_by(), file=file
            ) from None
        except ValueError as error:  # no JSON, or not what was recorded
            raise BookError("recording", str(error), cls.made_by(), file=file) from None

    def dump(self, file: Path) -> None:
        """Write the recording whole; the same values always give the same bytes."""
        write_whole(file, json.dumps(sealed(self.model_dump()), indent=1, ensure_ascii=False) + "\n")

    @classmethod
    def made_by(cls) -> str:
        """What to do to have such a file."""
        raise NotImplementedError


# A page asks for one recording once for each of its links, and a book has thousands of them.
@functools.lru_cache(maxsize=512)
def _read(kind: type[Record], text: bytes) -> Any:
    data = json.loads(text)
    return kind.model_validate(unsealed(data) if isinstance(data, dict) else data)


class Frame(Record):
    """One call of a recorded path."""

    depth: int  # 0 for the first
    language: Literal["python", "cpp"]
    symbol: str  # without arguments and template arguments
    full_symbol: str
    pin: str | None = None  # the address of the symbol, where one is known
    thread: int = 0  # 0 is the thread that called; others are numbered as they first appear


class PathRecording(Record):
    """The calls of one run, in order."""

    program: str
    program_digest: str
    release: str  # of torch, with no local version: 2.13.0
    build: str  # cpu, cu130, …
    device: str = "cpu"
    repeats: bool = False  # whether a later call of a function by the same caller stands again
    machine: str
    frames: list[Frame]

    @classmethod
    def made_by(cls) -> str:
        return "a file made by `inside-torch trace <program>`"


class Results(Record):
    """The numbers that a ``measure()`` returned."""

    program: str
    program_digest: str
    date: str  # of the run, YYYY-MM-DD
    build: str
    machine: str
    values: dict[str, int | float]

    @classmethod
    def made_by(cls) -> str:
        return "a file made by `inside-torch measure <program>`"

    def shown(self, name: str, form: str = "") -> str:
        """One value, in the format given or with three significant digits."""
        if name not in self.values:
            found = f"no `{name}` in the results of {self.program}"
            near = nearest(name, self.values) or ", ".join(self.values)
            raise BookError("measured-value", found, "a name that was measured", near)
        value = self.values[name]
        try:
            return format(value, form or ("d" if isinstance(value, int) else ".3g"))
        except ValueError as error:
            found = f"the format `{form}`: {error}"
            raise BookError("measured-value", found, "a format like .2f") from None


@dataclass(frozen=True)
class Output:
    """What a program printed, after normalisation."""

    text: str

    @classmethod
    def load(cls, file: Path) -> Output:
        """Read recorded output; :class:`BookError` (rule ``recording``) where there is none."""
        try:
            return cls(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise BookError(
                "recording", "no recorded output", "a file made by `inside-torch record`", file=file
            ) from None

    def dump(self, file: Path) -> None:
        write_whole(file, self.text)
