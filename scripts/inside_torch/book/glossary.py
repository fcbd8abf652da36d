"""The terms of the book in both languages: ``docs/glossary.yml``."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from inside_torch import yaml_file
from inside_torch.errors import BookError

FILE = Path("docs", "glossary.yml")


class TermWords(BaseModel):
    """The words by which a term is found in each language."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    en: list[str] = Field(min_length=1)
    zh: list[str] = Field(min_length=1)


class Names(BaseModel):
    """What a term is called in each language, where its key is not that."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    en: str
    zh: str


class Term(BaseModel):
    """A term: what it means in each language, and ``see``, the page and anchor that explain it.

    ``example`` is Python, ``import torch`` left out, with what it prints in ``#>`` lines; ``no_example`` says
    why there is none.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    title: Names | None = None
    forms: TermWords
    en: str = Field(min_length=20, max_length=240)
    zh: str = Field(min_length=8, max_length=120)
    see: str = Field(pattern=r"^[\w/-]+#[\w-]+$")
    example: str = ""
    no_example: str = ""

    def meaning(self, language: str) -> str:
        """What it means, in the language of a code."""
        return getattr(self, language)

    def words(self, language: str) -> list[str]:
        """By which words it is found, in the language of a code."""
        return getattr(self.forms, language)


class Glossary(BaseModel):
    """Every term by its key."""

    terms: dict[str, Term]

    def name(self, key: str, language: str) -> str:
        """What a term is called on the page that lists them."""
        term = self.terms[key]
        if term.title is not None:
            return getattr(term.title, language)
        return key if language == "en" else term.forms.zh[0]

    def heading(self, key: str, language: str) -> str:
        """Its name, and beside another language's the English one, which code and articles use."""
        name, english = self.name(key, language), self.name(key, "en")
        return name if name == english else f"{name} · {english}"

    def pattern(self, language: str) -> re.Pattern[str]:
        """Finds a term in prose; the longest words win, and Latin ones stand alone."""
        words = sorted((word for term in self.terms.values() for word in term.words(language)), key=len)
        found = [rf"\b{re.escape(word)}\b" if word.isascii() else re.escape(word) for word in reversed(words)]
        return re.compile("|".join(found) or r"(?!)")

    def key(self, word: str, language: str) -> str:
        """The term that a word is a form of."""
        return next(key for key, term in self.terms.items() if word in term.words(language))


def anchor(key: str) -> str:
    """The id of a term on the page that lists them."""
    return re.sub(r"[^a-z0-9]+", "-", key.lower()).strip("-")


def load(root: Path) -> Glossary:
    """The glossary of a book, empty where it has none; raises :class:`BookError` where it is not one."""
    if not (root / FILE).is_file():
        return Glossary(terms={})
    with yaml_file.reading("glossary", FILE, "terms"):
        return _parsed((root / FILE).read_text(encoding="utf-8"))


@lru_cache(maxsize=8)
def _parsed(text: str) -> Glossary:
    try:
        glossary = Glossary(terms=yaml_file.value(text) or {})
    except ValidationError as error:
        first = error.errors()[0]
        place = [str(part) for part in first["loc"][1:]]
        raise BookError(
            "glossary",
            f"{': '.join(place) or 'the file'}: {first['msg'].lower()}",
            "forms, en, zh and see of each term",
            file=FILE,
            line=line_of(text, place[0] if place else ""),
        ) from None
    seen: dict[tuple[str, str], str] = {}
    for key, term in glossary.terms.items():
        for language in ("en", "zh"):
            for word in term.words(language):
                if (language, word) in seen:
                    other = seen[language, word]
                    raise BookError(
                        "glossary", f"{word!r} is a form of {other} and of {key}", "a form of one term",
                        file=FILE, line=line_of(text, key),
                    )  # fmt: skip
                seen[language, word] = key
    return glossary


def line_of(text: str, key: str) -> int:
    """The line on which a term begins."""
    return next((number for number, line in enumerate(text.split("\n"), 1) if line.startswith(f"{key}:")), 1)
