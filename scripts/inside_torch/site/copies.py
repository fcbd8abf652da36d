"""Beside each page its text as plain Markdown, beside each article its tour; all of them in one file."""

from __future__ import annotations

import re
from pathlib import Path

from inside_torch.book.article_summary import article_summaries
from inside_torch.book.curriculum import FILE, load
from inside_torch.book.language import LANGUAGES
from inside_torch.book.whole_book import Book
from inside_torch.pins.lock import PinLock
from inside_torch.pins.release import RELEASE
from inside_torch.render.plain import plain
from inside_torch.render.tours import code_tour, steps
from inside_torch.site.proof_counts import count_proofs, with_counts

#: What the list says of the book, by language.
ABOUT = {
    "en": f"PyTorch {RELEASE} explained by its own source. Every excerpt is taken from the installed "
    "release, every output is recorded from a run, every call path from a real process.",
    "zh": f"以源码讲解 PyTorch {RELEASE}：每段节选取自已安装的发行版，每处输出录自一次运行，"
    "每条调用路径录自真实的进程。",
}

#: What ``llms-full.txt`` leaves out.
ABOUT_THE_BOOK = ("about/", "contributing/", "releases/", "notice", "proof", "source-index")
_PLACE = re.compile(r"^- \[.*?\]\(([^()]+\.md)\)", re.MULTILINE)


def write_copies(book: Book, docs: Path, site: Path, language: str) -> None:
    """Write each page below ``docs`` as ``<page>.md``, each article's tour, and the two lists of them."""
    articles = {page.slug: page for page in book.articles}
    lock = PinLock.load(book.root)
    texts: dict[str, str] = {}
    for page in sorted(docs.rglob("*.md")):
        place = page.relative_to(docs)
        copy = site / place
        copy.parent.mkdir(parents=True, exist_ok=True)
        slug = place.with_suffix("").as_posix()
        text = plain(book.root, page.read_text(encoding="utf-8"), slug, language)
        if slug == "index":
            text = with_counts(text, count_proofs(book))
        copy.write_text(text, encoding="utf-8")
        texts[place.as_posix()] = text
        if slug in articles:  # its remarks are those of the English page
            tour = code_tour(slug, articles[slug].title, steps(book, slug, lock))
            copy.with_suffix(".tour").write_text(tour, encoding="utf-8")
    listed = _listed(book, docs, language)
    (site / "llms.txt").write_text(listed, encoding="utf-8")
    (site / "llms-full.txt").write_text(_whole(listed, texts, language), encoding="utf-8")


def _whole(listed: str, texts: dict[str, str], language: str) -> str:
    """Every page that the list names, in its order, but those that tell how the book is made."""
    pages = [place for place in _PLACE.findall(listed) if not place.startswith(ABOUT_THE_BOOK)]
    whole = [f"# Inside Torch\n\n> {ABOUT[language]}\n"]
    whole += [f"<!-- {place} -->\n\n{texts[place].strip()}\n" for place in pages]
    return "\n".join(whole)


def _listed(book: Book, docs: Path, language: str) -> str:
    """The book as a list of links to its plain pages (https://llmstxt.org)."""
    lines = ["# Inside Torch", "", f"> {ABOUT[language]}", "", "- [llms-full.txt](llms-full.txt)", ""]
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
