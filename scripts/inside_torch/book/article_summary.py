"""What a reader is told of an article before it is read: its title, its question, how long it takes."""

from __future__ import annotations

from dataclasses import dataclass

from inside_torch.book.curriculum import load
from inside_torch.book.language import CHINESE, ENGLISH
from inside_torch.book.whole_book import Book


@dataclass(frozen=True)
class ArticleSummary:
    """A written article in one language; ``minutes`` are those of its front matter."""

    title: str
    question: str
    minutes: int


def article_summaries(book: Book, language: str) -> dict[str, ArticleSummary]:
    """The written articles of the curriculum by slug, in its order; English where there is no translation."""
    found = {}
    for slug in load(book.root).entries:
        original, translation = (book.page(each, f"{slug}.md") for each in (ENGLISH, CHINESE))
        if original is None or not {"title", "question", "minutes"} <= original.front_data.keys():
            continue  # not written, or its page says what is wrong with it
        own = translation.front_data if translation and language == CHINESE.code else {}
        told = original.front_data | own
        minutes = int(original.front_data["minutes"])
        found[slug] = ArticleSummary(str(told["title"]), str(told["question"]), minutes)
    return found
