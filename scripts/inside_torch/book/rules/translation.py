"""A translation says the same as its original: the same ids, pins, probes, fences and values."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import zip_longest

from inside_torch.book.fence_kinds import Block, ExcerptFence, ProbeFence
from inside_torch.book.language import ENGLISH, digest_of
from inside_torch.book.page import Page, Use
from inside_torch.book.rules import rule
from inside_torch.book.steps import shape
from inside_torch.book.whole_book import Book
from inside_torch.errors import BookError


def _pairs(book: Book) -> Iterator[tuple[Page, Page]]:
    """Each translation that is up to date, with its original."""
    for page in book.sound:
        original = book.page(ENGLISH, page.place)
        if (
            not page.is_english
            and original
            and not original.errors
            and page.translated_from == digest_of(original.file)
        ):
            yield page, original


@rule("translation-original")
def originals_exist(book: Book) -> Iterator[BookError]:
    """Every translation has an English page of the same place."""
    for page in book.pages.values():
        if not book.page(ENGLISH, page.place):
            yield BookError(
                "translation-original",
                "a translation of no English page",
                str(ENGLISH.docs / page.place),
                file=page.path,
            )


@rule("translation-behind")
def behind(book: Book) -> Iterator[BookError]:
    """A translation was made from the English page as it is, or says `behind: true`; not both."""
    for page in book.sound:
        original = book.page(ENGLISH, page.place)
        if page.is_english or not original:
            continue
        current = digest_of(original.file)
        line = page.front_lines.get("translated_from", 1)
        if page.translated_from != current and not page.is_behind:
            yield page.fault(
                "translation-behind",
                line,
                f"made from {page.translated_from}, {original.path} is {current}",
                "the change translated and `inside-torch translated` run, or `behind: true`",
            )
        elif page.translated_from == current and page.is_behind:
            yield page.fault(
                "translation-behind",
                page.front_lines["behind"],
                "`behind: true` on a page that is up to date",
                "no such field",
            )


@rule("translation-ids")
def same_ids(book: Book) -> Iterator[BookError]:
    """The headings have the same ids at the same levels, in the same order."""
    for page, original in _pairs(book):
        ours = [heading for heading in page.headings if heading.level > 1]
        theirs = [heading for heading in original.headings if heading.level > 1]
        for mine, other in zip_longest(ours, theirs):
            if not mine or not other or (mine.level, mine.id) != (other.level, other.id):
                yield page.fault(
                    "translation-ids",
                    mine.line if mine else page.text.count("\n"),
                    f"`{{#{mine.id}}}`" if mine else "no more headings",
                    f"`{{#{other.id}}}` of level {other.level}" if other else "no more headings",
                )
                break


@rule("translation-pins")
def same_pins(book: Book) -> Iterator[BookError]:
    """Each section uses the pins of the original's; inside it, links follow the language's word order."""
    for page, original in _pairs(book):
        ours, theirs = _by_section(page), _by_section(original)
        for anchor in [anchor for anchor in theirs if anchor in ours]:  # else `translation-ids` speaks of it
            mine, other = (Counter(use.written for use in uses[anchor]) for uses in (ours, theirs))
            for address in [*(mine - other), *(other - mine)]:
                line = next((heading.line for heading in page.headings if heading.id == anchor), 1)
                line = next((use.line for use in ours[anchor] if use.written == address), line)
                yield page.fault(
                    "translation-pins",
                    line,
                    f"{address} {mine[address]} times in `{anchor or 'the beginning'}`",
                    f"{other[address]} times, as in {original.path}",
                )


def _by_section(page: Page) -> dict[str, list[Use]]:
    """The pins that are used below each heading."""
    headings = [("", 0)] + [(heading.id, heading.line) for heading in page.headings if heading.level > 1]
    found: dict[str, list[Use]] = {anchor: [] for anchor, _ in headings}
    for use in page.uses:
        found[[anchor for anchor, line in headings if line <= use.line][-1]].append(use)
    return found


@rule("translation-probes")
def same_probes(book: Book) -> Iterator[BookError]:
    """The probes are the same, letter by letter."""
    for page, original in _pairs(book):
        ours, theirs = page.of(ProbeFence), original.of(ProbeFence)
        if len(ours) != len(theirs):
            yield page.fault(
                "translation-probes",
                ours[-1].line if ours else 1,
                f"{len(ours)} probes",
                f"{len(theirs)}, as in {original.path}",
            )
            continue
        for mine, other in zip(ours, theirs, strict=True):
            if (mine.fence.body, mine.fence.options) != (other.fence.body, other.fence.options):
                yield page.fault(
                    "translation-probes",
                    mine.line,
                    "a probe that differs",
                    f"the one of {original.path}:{other.line}",
                )


@rule("translation-fences")
def same_fences(book: Book) -> Iterator[BookError]:
    """The other fences have the same kinds and subjects in the same order; their words may be translated."""
    for page, original in _pairs(book):
        ours = [block for block in page.blocks if not isinstance(block, ProbeFence)]
        theirs = [block for block in original.blocks if not isinstance(block, ProbeFence)]
        for mine, other in zip_longest(ours, theirs):
            if not mine or not other or _differ(mine, other):
                found = f"a fence `{mine.fence.language}`" if mine else "no more fences"
                wanted = f"the one of {original.path}:{other.line}" if other else "no more fences"
                yield page.fault(
                    "translation-fences", mine.line if mine else page.text.count("\n"), found, wanted
                )
                break


def _differ(mine: Block, other: Block) -> bool:
    """Whether more than the words differ."""
    if mine != other:
        return True
    if not isinstance(mine, ExcerptFence) or not isinstance(other, ExcerptFence):
        return False
    try:
        return shape(mine) != shape(other)
    except BookError:  # a rule of its own tells of steps that are not those below them
        return False


@rule("translation-claims")
def same_claims(book: Book) -> Iterator[BookError]:
    """Each section makes the same claims, and takes the same numbers from them."""
    for page, original in _pairs(book):
        ours, theirs = _claims(page), _claims(original)
        for key in [*(ours - theirs), *(theirs - ours)]:
            section, target = key
            lines = [link.line for link in page.links if link.target == target]
            heading = next((one.line for one in page.headings if one.id == section), 1)
            yield page.fault(
                "translation-claims",
                lines[0] if lines else heading,
                f"{target} {ours[key]} times in `{section or 'the beginning'}`",
                f"{theirs[key]} times, as in {original.path}",
            )


def _claims(page: Page) -> Counter[tuple[str, str]]:
    """Section and target of each link to a claim and of each number that was counted."""
    headings = [("", 0)] + [(heading.id, heading.line) for heading in page.headings if heading.level > 1]
    found = [(link.line, link.target) for link in page.links if link.target.startswith("claim:")]
    found += [(value.line, f"{value.target}.{value.name}") for value in page.claim_values]
    return Counter(
        ([anchor for anchor, first in headings if first <= line][-1], target) for line, target in found
    )


@rule("translation-values")
def same_values(book: Book) -> Iterator[BookError]:
    """The prose takes the same measured numbers."""
    for page, original in _pairs(book):
        ours = Counter((value.program, value.name) for value in page.values)
        theirs = Counter((value.program, value.name) for value in original.values)
        for program, name in [*(ours - theirs), *(theirs - ours)]:
            line = next(
                (value.line for value in page.values if (value.program, value.name) == (program, name)), 1
            )
            yield page.fault(
                "translation-values",
                line,
                f"{{{{ {program}:{name} }}}} {ours[program, name]} times",
                f"{theirs[program, name]} times, as in {original.path}",
            )
