"""The whole book: every page of every language, each read once."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from inside_torch.book.language import ENGLISH, LANGUAGES, Language
from inside_torch.book.page import Link, Page


@dataclass
class Book:
    """Its pages, and how they hang together."""

    root: Path
    pages: dict[Path, Page]  # by path below root, English first, each language in alphabetical order

    @classmethod
    def load(cls, root: Path) -> Book:
        """Read every Markdown file of ``docs/<language>``."""
        pages = {}
        for language in LANGUAGES:
            for file in sorted((root / language.docs).rglob("*.md")):
                page = Page.load(root, file, language)
                pages[page.path] = page
        return cls(root, pages)

    def page(self, language: Language, place: str) -> Page | None:
        """The page of a place, in one language."""
        return self.pages.get(language.docs / place)

    def shown(self, language: Language, place: str) -> Page | None:
        """The page that a reader sees: the translation, or the English one where there is none."""
        return self.page(language, place) or self.page(ENGLISH, place)

    def in_language(self, language: Language) -> Iterator[Page]:
        return (page for page in self.pages.values() if page.language == language)

    @property
    def sound(self) -> list[Page]:
        """The pages whose grammar is right."""
        return [page for page in self.pages.values() if not page.errors]

    def place_of(self, page: Page, path: str) -> str | None:
        """The place that a relative path on a page leads to; None where it leaves its language's folder."""
        place = posixpath.normpath(posixpath.join(posixpath.dirname(page.place), path))
        return None if place.startswith("..") else place

    def target(self, page: Page, link: Link) -> str | None:
        """The place of the page that a link leads to; None where it leads out of the book or nowhere."""
        place = self.place_of(page, link.target.partition("#")[0])
        return place if place and self.shown(page.language, place) else None

    @property
    def articles(self) -> list[Page]:
        """The English articles, by slug."""
        return [page for page in self.in_language(ENGLISH) if page.is_article]
