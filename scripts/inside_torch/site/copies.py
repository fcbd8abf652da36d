"""Beside each page of the site its text as plain Markdown, beside each article its tour, and ``llms.txt``."""

from __future__ import annotations

from pathlib import Path

from inside_torch.book.article_summary import article_summaries
from inside_torch.book.curriculum import FILE, load
from inside_torch.book.language import LANGUAGES
from inside_torch.book.whole_book import Book
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import RELEASE
from inside_torch.render.plain import plain
from inside_torch.render.tours import code_tour, steps

#: What the list says of the book, by language.
ABOUT = {
    "en": f"PyTorch {RELEASE} explained by its own source. Every excerpt is taken from the installed "
    "release, every output is recorded from a run, every call path from a real process.",
    "zh": f"以源码讲解 PyTorch {RELEASE}：每段节选取自已安装的发行版，每处输出录自一次运行，"
    "每条调用路径录自真实的进程。",
}


def write_copies(book: Book, docs: Path, site: Path, language: str) -> None:
    """Write ``site/<page>.md`` for each page below ``docs``, each article's tour, and ``site/llms.txt``."""
    articles = {page.slug: page for page in book.articles}
    lock = PinLock.load(book.root)
    for page in sorted(docs.rglob("*.md")):
        place = page.relative_to(docs)
        copy = site / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        slug = place.with_suffix("").as_posix()
        text = plain(book.root, page.read_text(encoding="utf-8"), slug, language)
        copy.write_text(text, encoding="utf-8")
        if slug in articles:  # its remarks are those of the English page
            tour = code_tour(slug, articles[slug].title, steps(book, slug, lock))
            copy.with_suffix(".tour").write_text(tour, encoding="utf-8")
    (site / "llms.txt").write_text(_listed(book, docs, language), encoding="utf-8")


def _listed(book: Book, docs: Path, language: str) -> str:
    """The book as a list of links to its plain pages (https://llmstxt.org)."""
    lines = ["# Inside Torch", "", f"> {ABOUT[language]}", ""]
    written = article_summaries(book, language) if (book.root / FILE).is_file() else {}
    if written:
        for module, part in load(book.root).modules.items():
            here = [slug for slug in written if slug.startswith(f"{module}/")]
            if here:
                lines += [f"## {part.title.of(language)}", ""]
                lines += [f"- [{written[slug].title}]({slug}.md): {written[slug].question}" for slug in here]
                lines.append("")
    places = [page.relative_to(docs).as_posix() for page in sorted(docs.rglob("*.md"))]
    spoken = next(known for known in LANGUAGES if known.code == language)
    others = [
        (place, book.shown(spoken, place)) for place in places if place.removesuffix(".md") not in written
    ]
    lines += ["## Optional", ""]
    lines += [f"- [{page.title if page else place}]({place})" for place, page in others]
    return "\n".join(lines) + "\n"
