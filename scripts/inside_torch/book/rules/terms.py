"""The glossary can be read, leads to what is there and lacks none; each has an example, or says why not."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from inside_torch.book.glossary import FILE, Term, line_of, load
from inside_torch.book.language import ENGLISH
from inside_torch.book.rules import rule
from inside_torch.book.sentences import Prose
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest

#: How long an example may be, what it prints left out.
LINES = 3
#: What a sentence sets in bold: the term that it brings in.
_BROUGHT_IN = re.compile(r"(?<![*\w])\*\*([a-z][a-z -]*[a-z])\*\*(?![*\w])")
#: What is no prose: values, comments, the targets of links.
_NO_PROSE = re.compile(
    r"\{\{.*?\}\}|<!--.*?-->|\]\((?:<[^>]*>|[^()\s]|\([^()\s]*\))*\)|<[^<>\n]*>", re.DOTALL
)


@rule("glossary")
def glossary(book: Book) -> Iterator[BookError]:
    """The glossary is one, and each term is explained where it says."""
    try:
        known = load(book.root)
    except BookError as error:
        yield error
        return
    text = (book.root / FILE).read_text(encoding="utf-8") if known.terms else ""
    for key, term in known.terms.items():
        slug, _, anchor = term.see.partition("#")
        page = book.page(ENGLISH, f"{slug}.md")
        if page and page.errors:
            continue  # what it holds is not known
        ids = [found for found, _ in page.ids] if page else []
        if anchor not in ids:
            slugs = [each.slug for each in book.pages.values() if each.is_english]
            close = nearest(anchor, ids) if page else nearest(slug, slugs)
            yield BookError(
                "glossary",
                f"{key} is explained at `{term.see}`",
                "a page and an id of it",
                close,
                FILE,
                line_of(text, key),
            )


@rule("term-example")
def term_examples(book: Book) -> Iterator[BookError]:
    """Each term has an example, up to three lines that print something, or says why it has none."""
    try:
        known = load(book.root)
    except BookError:
        return  # the rule `glossary` speaks of it
    for key, term in known.terms.items():
        if found := _fault(term):
            text = (book.root / FILE).read_text(encoding="utf-8")
            yield BookError(
                "term-example",
                f"{key}: {found}",
                f"`example:` of at most {LINES} lines of Python, with `#>` lines; or `no_example:` and why",
                file=FILE,
                line=line_of(text, key),
            )


@rule("term-unlisted")
def terms_unlisted(book: Book) -> Iterator[BookError]:
    """A term that an article brings in, in bold in a sentence, and another one uses, is in the glossary."""
    try:
        known = load(book.root)
    except BookError:
        return  # the rule `glossary` speaks of it
    listed = {word.lower() for key, term in known.terms.items() for word in (key, *term.words(ENGLISH.code))}
    proses = {page.slug: Prose.of(page) for page in book.articles if page.is_english and not page.errors}
    said = {slug: _NO_PROSE.sub(" ", prose.masked).lower() for slug, prose in proses.items()}
    for slug, prose in proses.items():
        for paragraph in prose.paragraphs:
            if paragraph.kind not in ("paragraph", "item"):
                continue
            for match in _BROUGHT_IN.finditer(prose.masked, paragraph.start, paragraph.end):
                term = match[1]
                if term in listed:
                    continue
                word = re.compile(rf"(?<![\w-]){re.escape(term)}(?:s|es)?(?![\w-])")
                others = [other for other, text in said.items() if other != slug and word.search(text)]
                if others:
                    yield prose.page.fault(
                        "term-unlisted",
                        prose.page.line_of(match.start()),
                        f"the term `{term}`, which {others[0]} uses too, is not in {FILE}",
                        "the term there, with an example that runs; what is only stressed is in italics",
                    )


def _fault(term: Term) -> str:
    """What is wrong with the example of a term; empty where nothing is."""
    if bool(term.example.strip()) == bool(term.no_example.strip()):
        return "both" if term.example.strip() else "neither an example nor why there is none"
    if term.no_example:
        return ""
    lines = term.example.rstrip().split("\n")
    code = [line for line in lines if not line.startswith("#>")]
    try:
        ast.parse(term.example)
    except SyntaxError as error:
        return f"no Python: {error.msg}"
    if len(code) > LINES:
        return f"{len(code)} lines of code"
    return "" if any(line.startswith("#> ") for line in lines) else "an example that shows nothing printed"
