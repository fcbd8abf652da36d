"""What the pages' script knows of the articles and the routes: one small file beside the scripts."""

from __future__ import annotations

import json

from inside_torch.book.article_summary import article_summaries
from inside_torch.book.curriculum import FILE, load
from inside_torch.book.whole_book import Book

#: Its place in the site.
DATA = "assets/reading-data.js"


def reading_data(book: Book, language: str) -> str:
    """The written articles (title, minutes) by slug, and the routes' branches as lists of slugs: JavaScript.

    Empty lists for a book with no curriculum, which the check reports.
    """
    articles, routes = {}, []
    if (book.root / FILE).is_file():
        curriculum, written = load(book.root), article_summaries(book, language)
        articles = {slug: [one.title, one.minutes] for slug, one in written.items()}
        for name, route in curriculum.routes.items():
            for number, branch in enumerate(route.branches):
                titles = [route.title, *([branch.title] if branch.title else [])]
                told = {
                    "id": f"{name}/{number}",
                    "page": f"routes/{name}",
                    "title": ": ".join(title.of(language) for title in titles),
                    "path": [slug for slug in curriculum.path(branch) if slug in written],
                }
                routes.append(told)
    data = json.dumps({"articles": articles, "routes": routes}, ensure_ascii=False, separators=(",", ":"))
    return f"window.insideTorch = {data};\n"
