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
    right; several that stand on lines of their own are shown so.
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
            parts.append("\n    nearest:  " + self.nearest.replace("\n", "\n" + " " * 14))
        return "".join(parts)


def nearest(wanted: str, known: Iterable[str], count: int = 3, cutoff: float = 0.5) -> str:
    """The few of ``known`` that look most like ``wanted``, comma-separated; empty where none does.

    ``cutoff`` is difflib's: 0 takes anything, 1 only what is equal.
    """
    return ", ".join(difflib.get_close_matches(wanted, list(known), n=count, cutoff=cutoff))


def counted(number: int, noun: str) -> str:
    """``1 error``, ``2 errors``, ``2 addresses that cannot be locked``: only the first word is declined."""
    word, blank, rest = noun.partition(" ")
    ending = "" if number == 1 else "es" if word.endswith(("s", "ch", "x")) else "s"
    return f"{number} {word}{ending}{blank}{rest}"
