"""The one error that bad input gets."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(eq=False)
class BookError(Exception):
    """Something in the book is wrong, said so that its author can mend it.

    ``file`` and ``line`` (1-based) say where it was found, ``rule`` is the kebab-case name of the rule that
    it breaks, ``found`` and ``expected`` are phrases, ``nearest`` is the closest thing that would have been
    right.
    """

    rule: str
    found: str
    expected: str = ""
    nearest: str = ""
    file: Path | str | None = None
    line: int | None = None

    def at(self, file: Path | str | None, line: int | None = None) -> BookError:
        """The same error with its place filled in where it has none."""
        self.file = self.file if self.file is not None else file
        self.line = self.line if self.line is not None else line
        return self

    @property
    def place(self) -> str:
        if self.file is None:
            return ""
        return f"{self.file}:{self.line}" if self.line else str(self.file)

    def __str__(self) -> str:
        parts = [f"{self.place}: " if self.place else "", f"[{self.rule}] {self.found}"]
        if self.expected:
            parts.append(f"\n    expected: {self.expected}")
        if self.nearest:
            parts.append(f"\n    nearest:  {self.nearest}")
        return "".join(parts)


def nearest(wanted: str, known: Iterable[str], count: int = 3) -> str:
    """The few of ``known`` that look most like ``wanted``, comma-separated; empty where none does."""
    return ", ".join(difflib.get_close_matches(wanted, list(known), n=count, cutoff=0.5))
