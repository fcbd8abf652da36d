"""Sections, ids, slugs, prerequisites, summaries and thresholds."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from inside_torch.book.claims import SCHEME
from inside_torch.book.front_matter import ArticleFront
from inside_torch.book.language import ENGLISH
from inside_torch.book.page import SECTIONS, Page
from inside_torch.book.rules import rule
from inside_torch.book.sentences import PROOFS
from inside_torch.book.skeleton import MARK
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest

KEBAB = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
_MODULE = re.compile(r"module-\d\d(-[a-z0-9]+)+")

#: What an article holds at least.
THRESHOLDS = {"pins": 8, "diagrams": 2, "executed probes": 4, "programs": 1, "call paths": 1, "exercises": 1}


@rule("sections")
def sections(book: Book) -> Iterator[BookError]:
    """An article has one title and the eight sections, each with its id spelled out, in order."""
    for page in book.sound:
        if not page.is_article:
            continue
        titles = [heading for heading in page.headings if heading.level == 1]
        if len(titles) != 1:
            line = titles[1].line if titles else 1
            yield page.fault("sections", line, f"{len(titles)} first-level headings", "one")
        found = [heading for heading in page.headings if heading.level == 2]
        ids = [heading.id for heading in found if heading.explicit]
        strange = [heading for heading in found if not heading.explicit or heading.id not in SECTIONS]
        for heading in strange:
            what = f"the section `{heading.text}` with " + (
                f"the id `{heading.id}`" if heading.explicit else "no id"
            )
            yield page.fault(
                "sections", heading.line, what, "one of " + ", ".join(SECTIONS), nearest(heading.id, SECTIONS)
            )
        meant = {nearest(heading.id, SECTIONS, 1) for heading in strange}
        missing = [anchor for anchor in SECTIONS if anchor not in ids and anchor not in meant]
        for anchor in missing:
            after = SECTIONS[SECTIONS.index(anchor) + 1 :]
            line = next((heading.line for heading in found if heading.id in after), page.text.count("\n") + 1)
            title = anchor.replace("-", " ").capitalize() if page.is_english else "…"
            yield page.fault(
                "sections",
                line,
                f"no section `{{#{anchor}}}`",
                f"the line `## {title} {{#{anchor}}}` before this one",
            )
        known = [heading for heading in found if heading not in strange]
        wanted = [anchor for anchor in SECTIONS if anchor in ids]
        for heading, anchor in zip(known, wanted, strict=False):
            if heading.id != anchor:
                yield page.fault(
                    "sections", heading.line, f"the section `{{#{heading.id}}}`", f"`{{#{anchor}}}` here"
                )
                break


@rule("heading-id")
def heading_ids(book: Book) -> Iterator[BookError]:
    """A third-level heading of an article, and every heading of a translation, spells its id out."""
    for page in book.sound:
        least = 3 if page.is_article else 2 if page.language != ENGLISH else 7
        for heading in page.headings:
            if heading.level >= least and not heading.explicit:
                yield page.fault(
                    "heading-id",
                    heading.line,
                    f"the heading `{heading.text}` with no id",
                    "{#an-id} after it",
                )


@rule("id-spelling")
def id_spelling(book: Book) -> Iterator[BookError]:
    """An id is lower-case English words, figures and hyphens."""
    for page in book.sound:
        spelled = [(heading.id, heading.line) for heading in page.headings if heading.explicit]
        spelled += [(block.id, block.line) for block in page.blocks if block.id]
        for anchor, line in spelled:
            if not KEBAB.fullmatch(anchor):
                suggestion = re.sub(r"[^a-z0-9]+", "-", anchor.lower()).strip("-")
                yield page.fault("id-spelling", line, f"the id `{anchor}`", "words like-this", suggestion)


@rule("duplicate-id")
def duplicate_ids(book: Book) -> Iterator[BookError]:
    """No id stands twice on a page."""
    for page in book.sound:
        first: dict[str, int] = {}
        for anchor, line in page.ids:
            if anchor in first:
                yield page.fault(
                    "duplicate-id",
                    line,
                    f"the id `{anchor}` twice, first on line {first[anchor]}",
                    "ids that differ",
                )
            first.setdefault(anchor, line)


@rule("slug")
def slugs(book: Book) -> Iterator[BookError]:
    """A page of a module is ``module-NN-name/article.md``, and the module has an index."""
    for page in book.sound:
        folder, _, name = page.slug.partition("/")
        if not page.module:
            continue
        if not _MODULE.fullmatch(folder) or not KEBAB.fullmatch(name):
            yield BookError(
                "slug", f"the place `{page.place}`", "module-NN-name/an-article.md", file=page.path
            )
        elif page.is_article and not book.page(ENGLISH, f"{folder}/index.md"):
            yield BookError(
                "slug", f"no page {ENGLISH.docs / folder}/index.md", "an index of the module", file=page.path
            )


@rule("indented-code")
def indented_code(book: Book) -> Iterator[BookError]:
    """A page of a module holds no code by indentation or in HTML, which nothing would execute."""
    for page in book.sound:
        for line in page.indented_code if page.module else []:
            yield page.fault("indented-code", line, "code by indentation", "a fence")
        for match in re.finditer(r"<(?:pre|code|script)\b", page.prose if page.module else "", re.IGNORECASE):
            line = page.line_of(match.start())
            yield page.fault("indented-code", line, f"code in {match[0]}>", "a fence")


def _front(page: Page | None) -> ArticleFront | None:
    return page.front if page and isinstance(page.front, ArticleFront) else None


@rule("prerequisite")
def prerequisites(book: Book) -> Iterator[BookError]:
    """What an article requires is another article."""
    slugs = {page.slug for page in book.articles}
    for page in book.articles:
        front = _front(page)
        for slug in front.requires if front and not page.errors else []:
            if slug not in slugs - {page.slug}:
                yield page.fault(
                    "prerequisite",
                    page.front_lines["requires"],
                    f"`{slug}` is required",
                    "the slug of another article",
                    nearest(slug, slugs),
                )


@rule("prerequisite-circle")
def prerequisite_circles(book: Book) -> Iterator[BookError]:
    """The articles can be read in an order in which each comes after what it requires."""
    requires = {page.slug: list(front.requires) for page in book.articles if (front := _front(page))}
    reported: set[str] = set()
    for start in requires:
        stack, walk = [(start, [start])], set()
        while stack:
            slug, way = stack.pop()
            for required in requires.get(slug, []):
                if required == start and len(way) > 1 and not reported & set(way):
                    reported |= set(way)
                    page = book.page(ENGLISH, f"{start}.md")
                    assert page is not None
                    yield page.fault(
                        "prerequisite-circle",
                        page.front_lines["requires"],
                        " requires ".join([*way, start]),
                        "no circle",
                    )
                elif required not in walk:
                    walk.add(required)
                    stack.append((required, [*way, required]))


@rule("prerequisite-link")
def prerequisite_links(book: Book) -> Iterator[BookError]:
    """The Prerequisites section links to what the front matter requires, and to no other article."""
    slugs = {page.slug for page in book.articles}
    for page in book.sound:
        original = book.page(ENGLISH, page.place)
        front = _front(original)
        first, end = page.section("prerequisites")
        if not page.is_article or not front or not first or page.is_behind:
            continue
        linked: dict[str, int] = {}
        for link in page.links:
            if first <= link.line < end and (target := book.target(page, link)):
                linked.setdefault(target.removesuffix(".md"), link.line)
        for slug in front.requires:
            if slug in slugs - set(linked):
                yield page.fault(
                    "prerequisite-link",
                    first - 1,
                    f"`{slug}` is required and not linked",
                    "a link in this section",
                )
        for slug, line in linked.items():
            if slug in slugs - set(front.requires):
                yield page.fault(
                    "prerequisite-link",
                    line,
                    f"a link to `{slug}`, which `requires` does not name",
                    "the same articles in both",
                )


@rule("summary-proof")
def summary_proofs(book: Book) -> Iterator[BookError]:
    """The Summary is a list, and each statement links to its proof on the page."""
    for page in book.sound:
        first, end = page.section("summary")
        if not page.is_article or not first:
            continue
        anchors = {anchor for anchor, _ in page.ids}
        proofs = {block.id for block in page.blocks if block.kind in PROOFS}
        statements = _statements(page, first, end)
        if not statements:
            yield page.fault("summary-proof", first - 1, "a Summary with no list", "statements in a list")
        lines = page.text.split("\n")
        for line, last, listed in statements:
            if lines[line - 1].startswith(MARK):
                continue  # not a statement yet; the rule `unwritten` asks for it
            if not listed:
                yield page.fault(
                    "summary-proof", line, "a statement outside the list", "an item with a link to its proof"
                )
                continue
            targets = [
                link.target[1:]
                for link in page.links
                if line <= link.line <= last and link.target.startswith("#")
            ]
            dead = any(target not in anchors for target in targets)  # the rule `anchor` speaks of it
            claimed = any(line <= link.line <= last and link.target.startswith(SCHEME) for link in page.links)
            if not dead and not claimed and not proofs & set(targets):
                yield page.fault(
                    "summary-proof",
                    line,
                    "a statement that links to no proof",
                    "a link to a claim, or to the id of a probe, excerpt, path, output or measurements of "
                    "this page",
                    ", ".join(targets),
                )


def _statements(page: Page, first: int, end: int) -> list[tuple[int, int, bool]]:
    """The items and paragraphs of a section: first line, last line, whether it is an item."""
    found: list[tuple[int, int, bool]] = []
    inside = False
    for number, line in enumerate(page.prose.split("\n")[first - 1 : end - 1], start=first):
        if re.match(r"(?:[-*+]|\d+\.)\s", line):
            found.append((number, number, True))
            inside = True
        elif not line.strip() or line.startswith("#"):
            inside = inside and not line.startswith("#") and bool(found) and found[-1][2]
        elif inside and (line.startswith(" ") or page.prose.split("\n")[number - 2].strip()):
            found[-1] = (found[-1][0], number, found[-1][2])
        else:
            found.append((number, number, False))
            inside = True
    return found


@rule("threshold")
def thresholds(book: Book) -> Iterator[BookError]:
    """An article holds at least what :data:`THRESHOLDS` asks for."""
    for page in book.sound:
        if not page.is_article or page.language != ENGLISH:
            continue
        kinds = Counter(block.kind for block in page.blocks)
        held = {
            "pins": len({use.written for use in page.uses}),
            "diagrams": kinds["diagram"],
            "executed probes": kinds["probe"],
            "programs": kinds["program"],
            "call paths": kinds["path"],
            "exercises": kinds["exercise"],
        }
        for name, least in THRESHOLDS.items():
            if held[name] < least:
                yield page.fault("threshold", 1, f"{held[name]} {name}", f"at least {least}")
