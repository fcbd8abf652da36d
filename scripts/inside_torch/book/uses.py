"""Every use of an address in the book: on its pages, and in the trace files of its programs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from inside_torch import yaml_file
from inside_torch.book.page import Page, Use
from inside_torch.book.recording import SNIPPETS
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest

#: Rules of the grammar whose breach hides no address.
_HARMLESS = ("front-matter", "measured-value", "fence-value", "fence-range")


def uses(book: Book) -> list[Use]:
    """Every use of an address, by file and line; raises :class:`BookError` for a file that cannot be read."""
    found = []
    for page in _pages(book):
        if hidden := next((error for error in page.errors if error.rule not in _HARMLESS), None):
            raise hidden
        found += page.uses
    for file in _traces(book.root):
        place = file.relative_to(book.root)
        with yaml_file.reading("yaml-form", place):
            found += [
                Use(written, place, line) for written, line in in_yaml(file.read_text(encoding="utf-8"))
            ]
    return found


def english_uses(book: Book) -> list[Use]:
    """Those on the English pages, as far as these can be read."""
    return [use for page in _pages(book) if page.is_english for use in page.uses]


def _pages(book: Book) -> list[Page]:
    """The pages that may use addresses; the contributors' only speak of them."""
    return [page for page in book.pages.values() if not page.place.startswith("contributing/")]


def _traces(root: Path) -> list[Path]:
    return sorted((root / SNIPPETS).rglob("*.yml"))


def in_yaml(text: str) -> Iterator[tuple[str, int]]:
    """(address as written, line) of every value of a YAML file that is an address."""

    def walk(node: yaml.Node | None) -> Iterator[tuple[str, int]]:
        if isinstance(node, yaml.ScalarNode) and node.value.startswith("src:"):
            yield node.value, node.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode):
            for item in node.value:
                yield from walk(item)
        elif isinstance(node, yaml.MappingNode):
            for _, value in node.value:
                yield from walk(value)

    yield from walk(yaml_file.node(text))


def of_pages(used: list[Use], book: Book, pages: list[Path]) -> list[Use]:
    """The uses of these pages (files) and of the trace files of their programs.

    Raises :class:`BookError` for a file that is no page of the book.
    """
    root = book.root
    places = [page.path for page in _pages(book)] + [file.relative_to(root) for file in _traces(root)]
    known = {(root / place).resolve(): place for place in places}
    found = []
    for page in pages:
        if page.resolve() not in known:
            raise BookError(
                "page-unknown",
                f"{page} is no page of the book",
                "a file below docs/",
                nearest(str(page).removeprefix(f"{root}/"), [str(file) for file in known.values()]),
            )
        place = known[page.resolve()]
        article = place.with_suffix("").parts[2:]  # docs/<language>/<module>/<article>.md
        traces = Path(SNIPPETS, *article)
        found += [use for use in used if use.file == place or (article and traces in use.file.parents)]
    return found


def places(used: list[Use]) -> tuple[dict[str, list[tuple[Path, int]]], list[BookError]]:
    """Canonical address to where it is used, and an error for each use that is no address."""
    found: dict[str, list[tuple[Path, int]]] = {}
    wrong = []
    for use in used:
        try:
            found.setdefault(str(use.address), []).append((use.file, use.line))
        except BookError as error:
            wrong.append(error)
    return dict(sorted(found.items())), wrong
