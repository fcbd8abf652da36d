"""Links, anchors, images, and the pages' place in the navigation."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from inside_torch import yaml_file
from inside_torch.book.language import ENGLISH, LANGUAGES, Language
from inside_torch.book.link_grammar import RAW
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest

_UPSTREAM = re.compile(
    r"https?://github\.com/pytorch/pytorch/(blob|tree|raw)/|https?://raw\.githubusercontent\.com/pytorch/"
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
#: What Markdown takes for an escape before it looks for links; at the end of an address its bracket is one.
_ESCAPED = re.compile(r"\\(?:[\\`*_{}\[\]()>#+.!-]|$)")


@rule("link")
def links(book: Book) -> Iterator[BookError]:
    """A link inside the book is relative and leads to a page or file that exists."""
    for page in book.sound:
        for link in page.links:
            path = link.target.partition("#")[0]
            if link.target.startswith("src:") and (escaped := _ESCAPED.search(link.target)):
                yield page.fault(
                    "link",
                    link.line,
                    f"`{escaped[0]}` in the address `{link.target}`, which Markdown reads as an escape",
                    "a part of the line with no such backslash",
                )
            if _SCHEME.match(link.target) or (not path and link.target):
                continue
            if not path or path.startswith("/"):
                yield page.fault(
                    "link",
                    link.line,
                    f"a link to `{link.target}`",
                    "a relative path to a .md file or an image",
                )
                continue
            place = book.place_of(page, path)
            if place is None or not any(
                (book.root / language.docs / place).is_file() for language in LANGUAGES
            ):
                known = [other.place for other in book.pages.values()]
                yield page.fault(
                    "link",
                    link.line,
                    f"a link to `{path}`",
                    "a file that exists",
                    nearest(place or path, known),
                )


@rule("anchor")
def anchors(book: Book) -> Iterator[BookError]:
    """An anchor is the id of a heading or a fence of the page that is linked to."""
    for page in book.sound:
        for link in page.links:
            if _SCHEME.match(link.target) or "#" not in link.target:
                continue
            path, _, anchor = link.target.partition("#")
            place = book.place_of(page, path) if path else page.place
            target = page if not path else book.shown(page.language, place) if place else None
            if target is None or target.errors:
                continue  # the rule `link`, or the grammar of that page, speaks of it
            known = {known for known, _ in target.ids}
            if anchor not in known:
                yield page.fault(
                    "anchor",
                    link.line,
                    f"no `#{anchor}` in {target.path}",
                    "an id of that page",
                    nearest(anchor, known),
                )


#: The pages that lead from what a reader has in mind to the place that tells of it.
FINDING = ("i-want-to.md", "older-texts.md")


@rule("paragraph")
def paragraphs(book: Book) -> Iterator[BookError]:
    """From a task, or from an older text, a link leads to a paragraph of an article, not to its beginning."""
    for page in (page for page in book.sound if page.place in FINDING):
        for link in page.links:
            path, _, anchor = link.target.partition("#")
            place = None if _SCHEME.match(link.target) or not path else book.place_of(page, path)
            target = place and book.shown(page.language, place)
            if (
                target
                and target.is_article
                and anchor in ("", *(h.id for h in target.headings if h.level == 1))
            ):
                yield page.fault(
                    "paragraph",
                    link.line,
                    f"a link to the whole of `{path}`",
                    f"{path}#…, the section or block that tells of it",
                )


@rule("source-link")
def source_links(book: Book) -> Iterator[BookError]:
    """PyTorch's source is linked by address, in Markdown, never by what nothing verifies."""
    for page in book.sound:
        for match in RAW.finditer(page.prose):
            yield page.fault(
                "source-link",
                page.line_of(match.start()),
                f"an HTML link to `{match['address']}`",
                f"[text](<{match['address']}>)",
            )
        for link in page.links:
            if _UPSTREAM.match(link.target):
                yield page.fault(
                    "source-link", link.line, f"a link to `{link.target}`", "src:<path>::<symbol>"
                )


def _navigation(root: Path, language: Language) -> list[tuple[str, int]] | None:
    """The pages that a MkDocs file lists under `nav`, each with its line; None where it has no `nav`.

    The file is read as nodes, because its tags are those of MkDocs; raises :class:`BookError`.
    """
    with yaml_file.reading("nav", language.config, "a MkDocs file"):
        document = yaml_file.node((root / language.config).read_text(encoding="utf-8"))
    if not isinstance(document, yaml.MappingNode):
        raise BookError("nav", "no mapping", "a MkDocs file", file=language.config, line=1)
    entries = {key.value: value for key, value in document.value}
    if "nav" not in entries:
        return None
    found: list[tuple[str, int]] = []

    def walk(node: yaml.Node) -> None:
        if isinstance(node, yaml.ScalarNode):
            if not _SCHEME.match(node.value):
                found.append((node.value, node.start_mark.line + 1))
        elif isinstance(node, yaml.SequenceNode):
            for child in node.value:
                walk(child)
        elif isinstance(node, yaml.MappingNode):
            for _, child in node.value:
                walk(child)

    walk(entries["nav"])
    return found


@rule("nav")
def navigation(book: Book) -> Iterator[BookError]:
    """The navigation can be read, every entry of it is a page, and stands there once."""
    for language in LANGUAGES:
        try:
            entries = _navigation(book.root, language) or []
        except BookError as error:
            yield error
            continue
        if language != ENGLISH:
            continue  # the rule `nav-parity` holds it against the English one
        known = [page.place for page in book.in_language(ENGLISH)]
        seen: set[str] = set()
        for place, line in entries:
            if place not in known:
                near = nearest(place, known)
                yield BookError("nav", f"`{place}`", "a page that exists", near, language.config, line)
            elif place in seen:
                yield BookError("nav", f"`{place}` twice", "once", file=language.config, line=line)
            seen.add(place)


def _readable(root: Path, language: Language) -> list[tuple[str, int]] | None:
    """As :func:`_navigation`, None too where the rule `nav` says that the file cannot be read."""
    try:
        return _navigation(root, language)
    except BookError:
        return None


@rule("orphan-page")
def orphans(book: Book) -> Iterator[BookError]:
    """Every English page stands in the navigation."""
    entries = _readable(book.root, ENGLISH)
    listed = {place for place, _ in entries or []}
    for page in book.in_language(ENGLISH) if entries is not None else []:
        if page.place not in listed:
            yield BookError(
                "orphan-page",
                "a page that no navigation lists",
                f"an entry in {ENGLISH.config}",
                file=page.path,
            )


@rule("nav-parity")
def navigation_parity(book: Book) -> Iterator[BookError]:
    """The navigation of a translation lists the same pages in the same order; with none, it inherits."""
    original = [place for place, _ in _readable(book.root, ENGLISH) or []]
    for language in LANGUAGES:
        entries = _readable(book.root, language)
        if not original or entries is None or [place for place, _ in entries] == original:
            continue
        for number, (place, line) in enumerate(
            [*entries, ("nothing more", entries[-1][1] if entries else 1)]
        ):
            wanted = original[number] if number < len(original) else "nothing more"
            if place != wanted:
                yield BookError(
                    "nav-parity",
                    f"`{place}`",
                    f"`{wanted}`, as in {ENGLISH.config}",
                    file=language.config,
                    line=line,
                )
                break
