"""An article as a walk through a checkout: a CodeTour file, or a list of ``file:line: text``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from inside_torch.book.fence_kinds import Annotation, ExcerptFence
from inside_torch.book.link_grammar import LINK, target
from inside_torch.book.mentions import mentions_of
from inside_torch.book.page import Page
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest
from inside_torch.pins.address import collapse
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import COMMIT
from inside_torch.pins.resolve import Pin
from inside_torch.render import code

#: Where the published book is, for the links that a tour leads back by.
SITE = "https://inside-torch.github.io/inside-torch/"


@dataclass(frozen=True)
class Step:
    """One stop: ``line`` (1-based) of ``file`` in PyTorch's repository, what is said there, and where."""

    file: str
    line: int
    text: str  # Markdown
    title: str
    anchor: str


def steps(book: Book, slug: str, lock: PinLock) -> list[Step]:
    """The stops of an article in page order: its annotated lines, and the other places that it pins.

    Places with no line in the repository, whole files and generated ones, are left out. Raises
    :class:`BookError` for what is no article.
    """
    page = next((page for page in book.articles if page.slug == slug), None)
    if page is None:
        known = [page.slug for page in book.articles]
        raise BookError("tour-article", f"no article {slug!r}", "module/article", nearest(slug, known))
    here = mentions_of(page, lock)
    remarks = dict(_remarks(lock, page))
    stops: list[Step] = []
    seen: set[tuple[str, int, str]] = set()
    for mention in here:
        pin = mention.pin
        if pin.generated or pin.first is None:
            continue
        told = remarks.get(mention.line) or [(pin.first, f"`{pin.address.symbol or pin.address.text}`")]
        for line, text in told:
            # A remark is told where it stands; a place that is only linked, once.
            linked = mention.line not in remarks
            if (pin.address.path, line, "" if linked else text) not in seen:
                seen |= {(pin.address.path, line, ""), (pin.address.path, line, text)}
                title = mention.title or mention.article
                stops.append(Step(pin.address.path, line, text, title, mention.anchor))
    return stops


def _remarks(lock: PinLock, page: Page) -> Iterator[tuple[int, list[tuple[int, str]]]]:
    """For each excerpt, the line of the page that names its address and its (line in the file, remark)s."""
    for block in page.of(ExcerptFence):
        pin = lock.pin(block.subject)
        excerpt = lock.excerpt(block.subject)
        if pin.first is None or pin.generated:
            continue
        if excerpt is None or block.steps:
            yield (
                block.fence.body_line,
                [(_proven(pin, step) or pin.first, step.text) for step in block.annotations],
            )
            continue
        listed = code.quoted(excerpt, block.shows)
        code.attach(listed, block.annotations)
        told = sorted((numbers[0], one.text) for one, numbers in listed.notes)
        yield block.fence.body_line, told


def _proven(pin: Pin, step: Annotation) -> int | None:
    """The line of the assertion that a numbered step names, where it names one."""
    if step.pattern is None:
        return None
    wanted = collapse(step.pattern)
    return next((one.line for one in pin.witnesses if wanted in collapse(one.text)), None)


def plain(text: str) -> str:
    """Markdown with its ``src:`` links reduced to their words, for a place that cannot follow them."""
    text = LINK.sub(lambda link: link["text"] if target(link).startswith("src:") else link[0], text)
    return " ".join(text.split())


def code_tour(slug: str, title: str, stops: list[Step]) -> str:
    """The tour as CodeTour reads it (https://aka.ms/codetour-schema)."""
    tour = {
        "$schema": "https://aka.ms/codetour-schema",
        "title": f"Inside Torch: {title}",
        "description": f"{SITE}en/{slug}/",
        "ref": COMMIT,
        "steps": [
            {
                "file": stop.file,
                "line": stop.line,
                "title": stop.title,
                "description": f"{plain(stop.text)}\n\n[{stop.title}]({SITE}en/{slug}/#{stop.anchor})",
            }
            for stop in stops
        ],
    }
    return json.dumps(tour, indent=2, ensure_ascii=False) + "\n"


def listing(stops: list[Step]) -> str:
    """One stop a line, as compilers write errors: ``file:line: text``."""
    return "".join(f"{stop.file}:{stop.line}: {plain(stop.text) or stop.title}\n" for stop in stops)
