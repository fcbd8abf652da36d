"""The curriculum names every article, and no route asks for one before what it requires."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from inside_torch.book.curriculum import FILE, line_of, load
from inside_torch.book.front_matter import ArticleFront
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest


@rule("curriculum")
def curriculum(book: Book) -> Iterator[BookError]:
    """The curriculum can be read, its routes lead through its articles, and it names every article."""
    try:
        known = load(book.root)
    except BookError as error:
        yield error
        return
    for page in book.articles:
        if page.slug not in known.entries:
            yield BookError(
                "curriculum",
                f"the article `{page.slug}` is not in it",
                f"an entry below modules: {page.module}",
                nearest(page.slug, known.entries),
                FILE,
                1,
            )


@rule("route-order")
def route_order(book: Book) -> Iterator[BookError]:
    """On every route an article comes after those that it requires, or the route needs their modules."""
    try:
        known = load(book.root)
    except BookError:
        return  # the rule `curriculum` says it
    text = (book.root / FILE).read_text(encoding="utf-8")
    requires = {
        page.slug: page.front.requires for page in book.articles if isinstance(page.front, ArticleFront)
    }
    for name, route in known.routes.items():
        for branch in route.branches:
            read = {slug for need in route.needs for slug in known.articles(need)}
            for slug in known.path(branch):
                for wanted in requires.get(slug, []):
                    # What is no article, or requires this one, is for the rules of prerequisites.
                    if wanted in requires and wanted not in read and not _leads(requires, wanted, slug):
                        yield _too_early(text, name, slug, wanted)
                read.add(slug)


def _leads(requires: Mapping[str, list[str]], start: str, end: str) -> bool:
    """Whether an article requires another, itself or through others."""
    seen, waiting = set(), [start]
    while waiting:
        slug = waiting.pop()
        if slug == end:
            return True
        if slug not in seen:
            seen.add(slug)
            waiting += requires.get(slug, [])
    return False


def _too_early(text: str, route: str, slug: str, wanted: str) -> BookError:
    step = slug if slug in text else slug.partition("/")[0]
    line = line_of(text, ["routes", f"{route}:", step])
    return BookError(
        "route-order",
        f"the route {route} asks for `{slug}`, which requires `{wanted}`, before it",
        "the article that is required earlier on the route, or its module among the route's `needs`",
        file=FILE,
        line=line,
    )
