"""Every name and every file of the installed release, made once for each build of torch and kept.

A name is a word of the wheel's own text: Python and its stubs, headers, templates, YAML. Nothing is imported.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_left
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from importlib import metadata
from pathlib import Path

import platformdirs

from inside_torch.errors import nearest
from inside_torch.files import write_whole
from inside_torch.pins.wheel import Wheel

#: The packages of the wheel, and the files of theirs that are text.
PACKAGES = ("torch", "torchgen", "functorch")
SUFFIXES = (
    *(".py", ".pyi", ".h", ".hpp", ".cuh", ".cpp", ".cu", ".yaml", ".yml"),
    *(".cmake", ".txt", ".in", ".json", ".jinja"),
)
_NAME = re.compile(rb"[A-Za-z_]\w*")
_FORM = "1"  # of the kept file; another one is made anew


@dataclass(frozen=True)
class Vocabulary:
    """The names of a release, and the paths of its files below the folder of its packages; both sorted."""

    names: tuple[str, ...]
    files: tuple[str, ...]

    @classmethod
    def here(cls) -> Vocabulary:
        """That of the installed release; made where it is not kept yet, which takes some seconds."""
        site = Wheel.find().site
        kept = platformdirs.user_cache_path("inside-torch") / f"names-{_identity(site)}.txt"
        try:
            names, files = kept.read_text(encoding="utf-8").split("\n\n")
            return cls(tuple(names.split("\n")), tuple(files.split("\n")))
        except (OSError, ValueError):
            made = cls.of(site)
        with suppress(OSError):  # where nothing can be kept it is made again next time
            write_whole(kept, "\n\n".join(["\n".join(made.names), "\n".join(made.files)]))
        return made

    @classmethod
    def of(cls, site: Path) -> Vocabulary:
        """Read from the files of the packages below ``site``."""
        names: set[bytes] = set()
        files = []
        for package in PACKAGES:
            for file in (site / package).rglob("*"):
                if file.suffix in SUFFIXES and file.is_file():
                    path = file.relative_to(site).as_posix()
                    files.append(path)
                    names.update(_NAME.findall(path.encode()))
                    names.update(_NAME.findall(file.read_bytes()))
        return cls(tuple(sorted(name.decode("ascii", "ignore") for name in names)), tuple(sorted(files)))

    @cached_property
    def _all(self) -> frozenset[str]:
        return frozenset(self.names)

    def __contains__(self, name: str) -> bool:
        """Whether a name stands in the release; one that ends in ``_`` may be the beginning of several."""
        if name in self._all:
            return True
        at = bisect_left(self.names, name)
        return name.endswith("_") and at < len(self.names) and self.names[at].startswith(name)

    def holds_file(self, path: str) -> bool:
        """Whether a file of the release has this path, or the end of it."""
        return any(f"/{file}".endswith(f"/{path}") for file in self.files)

    def nearest(self, name: str) -> str:
        """The names of the release that look most like this one."""
        alike = [known for known in self.names if known[:2] == name[:2] and abs(len(known) - len(name)) <= 3]
        return nearest(name, alike, cutoff=0.7)


def _identity(site: Path) -> str:
    """What tells one build of torch from another: its version and the digest of its list of files."""
    torch = metadata.distribution("torch")
    listed = f"{_FORM} {site} {torch.version} {torch.read_text('RECORD')}"
    return hashlib.sha256(listed.encode()).hexdigest()[:16]
