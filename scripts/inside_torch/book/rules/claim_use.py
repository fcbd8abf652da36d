"""Counted claims: each that a page names is there, says one thing, can fail, and was counted as it stands."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from inside_torch.book import claims
from inside_torch.book.claims import Claim, Counts
from inside_torch.book.recording import SNIPPETS
from inside_torch.book.rules import rule
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError, nearest

_ITEM = re.compile(r"\s*(?:[-*+]|\d+\.)\s")
#: The longest sentence, in characters.
LONGEST = 240


@rule("claim")
def links_to_claims(book: Book) -> Iterator[BookError]:
    """A link to a claim leads to one."""
    for page in book.sound:
        for link in claims.links_of(page):
            try:
                claims.find(book.root, page.slug, link.target)
            except BookError as error:
                if error.rule == "claim":  # else `claim-code` speaks of it
                    yield error.at(page.path, link.line)


@rule("claim-code")
def claims_say_what_they_mean(book: Book) -> Iterator[BookError]:
    """A claim has a sentence, a population, and a planted counterexample that the tests run."""
    for article in claims.articles(book.root):
        try:
            known = claims.claims_of(book.root, article)
        except BookError as error:
            yield error
            continue
        for claim in known.values():
            for found, expected in _faults(claim):
                yield BookError(
                    "claim-code", f"{claim.id}: {found}", expected, file=claim.file, line=claim.line
                )


def _faults(claim: Claim) -> list[tuple[str, str]]:
    """What a claim lacks: found, expected."""
    sentence, faults = claim.sentence, []
    if not sentence:
        faults.append(("no docstring", "one sentence that says what is claimed"))
    elif not sentence.endswith(".") or re.search(r"[.!?]\s+[A-Z`]", sentence) or len(sentence) > LONGEST:
        expected = f"one sentence of at most {LONGEST} characters, with its full stop"
        faults.append((f"the docstring “{sentence}”", expected))
    if not claim.population:
        faults.append(("no population", "a function as the first argument of @counted"))
    if not claim.planted:
        faults.append(("no planted counterexample", "planted=, for which the claim must not hold"))
    return faults


@rule("claim-value")
def claim_values(book: Book) -> Iterator[BookError]:
    """A counted number on a page is one of a claim."""
    for page in book.sound:
        for value in page.claim_values:
            try:
                claim = claims.find(book.root, page.slug, value.target)
                if counts := _counts(book, claim.article):
                    claims.value_of(claim, counts, value.name)
            except BookError as error:
                if error.rule in ("claim", "claim-value"):
                    error.rule = "claim-value"
                    yield error.at(page.path, value.line)


@rule("claim-exceptions")
def exceptions_are_named(book: Book) -> Iterator[BookError]:
    """Words whose claim has exceptions name them in their paragraph, in code type, or say how many they are.

    A claim that says why a reader meets none of them need not.
    """
    for page in book.sound:
        lines = page.text.split("\n")
        for link in claims.links_of(page):
            try:
                claim = claims.find(book.root, page.slug, link.target)
                counts = _counts(book, claim.article)
                if counts is None or claim.exceptions:
                    continue
                exceptions = claims.count_of(claim, counts).exceptions
            except BookError:
                continue  # other rules speak of it
            around = _paragraph(lines, link.line)
            if any(
                value.target == link.target and value.line in around and value.name != "count"
                for value in page.claim_values
            ):
                continue
            text = "\n".join(lines[number - 1] for number in around)
            silent = [name for name in exceptions if f"`{name}`" not in text]
            if silent:
                names = ", ".join(f"`{name}`" for name in silent[:8]) + (" …" if len(silent) > 8 else "")
                yield page.fault(
                    "claim-exceptions",
                    link.line,
                    f"`{link.target}` does not hold for {names}, and the paragraph does not say so",
                    f"the names, {{{{ {link.target}.names }}}}, {{{{ {link.target}.exceptions }}}} or "
                    "exceptions= in the claim",
                )


def _paragraph(lines: list[str], line: int) -> range:
    """The lines of the paragraph or list item that a line (1-based) is in."""
    first = last = line
    while first > 1 and lines[first - 2].strip() and not _ITEM.match(lines[first - 1]):
        first -= 1
    while last < len(lines) and lines[last].strip() and not _ITEM.match(lines[last]):
        last += 1
    return range(first, last + 1)


@rule("claim-unused")
def claims_are_used(book: Book) -> Iterator[BookError]:
    """Every claim is made on a page."""
    if any(page.errors for page in book.pages.values()):
        return  # what such a page uses is not known
    used = claims.uses(book)
    for claim in _all(book):
        if claim.name not in used:
            yield BookError(
                "claim-unused",
                f"the claim `{claim.id}`, which no page makes",
                f"[words](claim:{claim.id}) on its page",
                file=claim.file,
                line=claim.line,
            )


@rule("claim-record")
def claims_are_counted(book: Book) -> Iterator[BookError]:
    """Every claim was counted as its code is now, and nothing is recorded that is no claim."""
    for article in claims.articles(book.root):
        known = _known(book, article)
        file = Counts.file(book.root, article)
        try:
            counts = Counts.load(file) if known else None
        except BookError as error:
            found = f"{file.relative_to(book.root)}: {error.found}"
            yield BookError("claim-record", found, error.expected, file=Path(SNIPPETS, article, claims.FILE))
            continue
        recorded = counts.claims if counts else {}
        for claim in known.values():
            if _faults(claim):
                continue  # the rule `claim-code` speaks of it
            if claim.id not in recorded:
                yield _record(claim, f"{claim.id} was never counted")
            elif recorded[claim.id].code_digest != claim.digest:
                yield _record(claim, f"{claim.id} has changed since it was counted")
        for name in recorded.keys() - known.keys():
            yield BookError(
                "claim-record",
                f"a count of `{name}`, which is no claim",
                Counts.made_by(),
                nearest(name, known),
                file.relative_to(book.root),
            )


def _record(claim: Claim, found: str) -> BookError:
    return BookError(
        "claim-record", found, f"inside-torch count {claim.article}", file=claim.file, line=claim.line
    )


def _known(book: Book, article: str) -> dict[str, Claim]:
    """The claims of an article; none where the rule `claim-code` says that they cannot be read."""
    try:
        return claims.claims_of(book.root, article)
    except BookError:
        return {}


def _counts(book: Book, article: str) -> Counts | None:
    """What was counted of an article; None where the rule `claim-record` says that it cannot be read."""
    try:
        return Counts.load(Counts.file(book.root, article))
    except BookError:
        return None


def _all(book: Book) -> list[Claim]:
    return [claim for article in claims.articles(book.root) for claim in _known(book, article).values()]
