"""Sentences that speak of a whole class, or of a cause, with nothing beside them that could prove it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from inside_torch.book.fence_kinds import Block, ExcerptFence
from inside_torch.book.page import Page
from inside_torch.book.sentences import PROOFS, Paragraph, Prose, Sentence
from inside_torch.book.skeleton import MARK

#: The sections whose sentences are looked at.
SECTIONS = ("overview", "concepts", "source-analysis", "summary")

#: Words that speak of a whole class, and words that speak of a cause.
UNIVERSAL = re.compile(
    r"\b(?:every(?:thing|one|body|where)?|each|all|any(?:thing|one|body|where)?|only|never|always|none|cannot|can't"
    r"|nothing|nobody|nowhere|no one|whatever|whichever|whoever|whenever|wherever|without exception"
    r"|no\b[^.,;:()]{0,40}?\bother)\b"
    r"|\b(?:because|therefore|thereby|hence|thus|consequently|(?:which|that|this) is why|it follows that)\b"
    r"|\bsince\b(?!\s+(?:\d|version\b|then\b|release\b))"
    r"|(?:^|[,;:(–—]\s*(?:and\s+)?)so\s+(?!that\b|far\b|many\b|much\b|called\b|on\b|forth\b|long\b"
    r"|(?:do|does|did|is|are|was|were|has|have|can|will|must|would)\b)",
    re.IGNORECASE,
)
_REASON = re.compile(r"<!--\s*open:\s*(?P<reason>.*?)\s*-->")
_COMMENT = re.compile(r"<!--.*?-->")
_ADDRESS = re.compile(r"\]\((?:<[^>]*>|[^()\s]|\([^()\s]*\))*")


@dataclass(frozen=True)
class Open:
    """A sentence with such a word and no proof; ``reason`` says why it may stay so, or is empty."""

    page: Page
    line: int
    word: str
    text: str
    section: str
    reason: str = ""


@lru_cache(maxsize=512)
def open_sentences(page: Page) -> list[Open]:
    """Those of an article's Overview, Concepts, Source analysis and Summary, in page order.

    What closes one: in the sentence, a link to a claim, a pin or a block that proves, or a recorded value;
    right beside its paragraph, such a block; for an annotation, the line that it sits on. In the Summary only
    what is in the sentence counts.
    """
    prose = Prose.of(page)
    links = [link.start for link, _ in prose.links if is_proof(page, link.target)]
    sections = {name: page.section(name) for name in SECTIONS}
    found = []
    for paragraph in prose.paragraphs:
        line = page.line_of(paragraph.start)
        section = next((name for name, (first, end) in sections.items() if first <= line < end), "")
        if not section:
            continue
        if prose.text.startswith(MARK, paragraph.start):
            continue  # still to be written; the rule `unwritten` asks for it
        if section != "summary" and _shown_beside(paragraph):
            continue
        for sentence in prose.sentences(paragraph):
            if word := _open_word(prose, sentence, links):
                reason = _REASON.search(sentence.text)
                text = _COMMENT.sub("", sentence.text).strip()
                line = page.line_of(sentence.start)
                found.append(Open(page, line, word, text, section, reason["reason"] if reason else ""))
    return found


def is_proof(page: Page, target: str) -> bool:
    """Whether a link's target can prove: a claim, a pin, or a block of the page that shows something."""
    if target.startswith(("claim:", "src:")):
        return True
    path, _, anchor = target.partition("#")
    if path or not anchor:
        return False
    return any(block.id == anchor and proves(block) for block in page.blocks)


def proves(block: Block) -> bool:
    """Whether a block shows what a run or the release says; an excerpt of steps shows our own words."""
    return block.kind in PROOFS and not (isinstance(block, ExcerptFence) and block.steps)


def _shown_beside(paragraph: Paragraph) -> bool:
    return paragraph.pattern or any(proves(block) for block in paragraph.beside)


def _open_word(prose: Prose, sentence: Sentence, links: list[int]) -> str:
    """The word that makes a sentence speak of a class or a cause, where nothing in the sentence proves it."""
    if any(sentence.holds(start) for start in links):
        return ""
    masked = prose.masked[sentence.start : sentence.end]
    if "{{" in masked:
        return ""
    words = " ".join(_ADDRESS.sub("]", _COMMENT.sub("", masked)).split())
    if words.endswith("?"):
        return ""
    match = UNIVERSAL.search(words)
    return match[0].strip(" ,;:(–—") if match else ""
