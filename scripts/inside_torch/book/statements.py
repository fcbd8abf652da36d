"""The statements of a Summary, each tied to what its proof says: ``docs/statements/<module>/<article>.json``.

That a proof proves its statement is known only to somebody who has read the two. The file holds the words of
each statement and the digest of what each of its proofs said then; where either is another now, they are to
be read again.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from inside_torch.book.claims import SCHEME, Counts
from inside_torch.book.fence_kinds import (
    Block,
    BookFence,
    ExcerptFence,
    MeasurementsFence,
    OutputFence,
    PathFence,
)
from inside_torch.book.page import Page
from inside_torch.book.recording import Output, PathRecording, Program, Results
from inside_torch.book.sentences import PROOFS, Prose
from inside_torch.book.skeleton import MARK
from inside_torch.errors import BookError
from inside_torch.files import write_whole

FOLDER = Path("docs", "statements")
LOCK = "pins.lock"

_PROOF_LINKS = re.compile(r"\s*\(\s*(?:\[[^\[\]]*\]\((?:<[^>]*>|[^()\s])*\)[,;\s]*)+\)")
_LINK = re.compile(r"\[(?P<text>[^\[\]]*)\]\((?:<[^>]*>|[^()\s]|\([^()\s]*\))*\)")
_COMMENT = re.compile(r"\s*<!--.*?-->")


@dataclass(frozen=True)
class Statement:
    """One statement of a Summary: its words without links, and by link what each of its proofs says."""

    line: int
    words: str
    proofs: Mapping[str, str]

    @property
    def digests(self) -> dict[str, str]:
        """sha256 of what each proof says, its first 16 hexadecimal digits."""
        return {
            target: hashlib.sha256(said.encode()).hexdigest()[:16] for target, said in self.proofs.items()
        }


class Tied(BaseModel):
    """One statement as it was when it was read beside its proofs."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    words: str
    proofs: dict[str, str]  # the digest of what each said


def statements(page: Page, pins: Mapping[str, str]) -> list[Statement]:
    """The statements of an article's Summary that have a proof, in page order.

    ``pins`` has the digest of each locked address. An absent recording says the empty text; the rule
    ``recording`` speaks of it.
    """
    prose = Prose.of(page)
    first, end = page.section("summary")
    blocks = {block.id: block for block in reversed(page.blocks) if block.id and block.kind in PROOFS}
    anchors = {anchor for anchor, _ in page.ids}
    found = []
    for paragraph in prose.paragraphs:
        line = page.line_of(paragraph.start)
        if (
            not first <= line < end
            or paragraph.kind != "item"
            or prose.text.startswith(MARK, paragraph.start)
        ):
            continue
        proofs = {}
        dead = False
        for link, _ in prose.links:
            if paragraph.start <= link.start < paragraph.end:
                target = " ".join(link.target.split())
                dead = dead or (target[:1] == "#" and target[1:] not in anchors)
                if target[:1] == "#" and target[1:] in blocks:
                    proofs[target] = said_by(page.root, blocks[target[1:]], pins)
                elif target.startswith("src:"):
                    proofs[target] = pins.get(target, "")
                elif target.startswith(SCHEME):
                    proofs[target] = counted_by(page, target)
        if dead:
            proofs = {}  # the rule `anchor` speaks of a link that leads nowhere
        if proofs or dead:
            text = _COMMENT.sub("", _PROOF_LINKS.sub("", prose.text[paragraph.start : paragraph.end]))
            words = " ".join(_LINK.sub(lambda link: link["text"], text).split())
            found.append(Statement(line, re.sub(r"^[-*+] |^\d+[.)] ", "", words), proofs))
    return found


def said_by(root: Path, block: Block, pins: Mapping[str, str]) -> str:
    """What a block says, as text: code with its output, recorded calls, numbers, the digest of quoted lines.

    Measured numbers count by their first two digits, so that not every new run asks for a reading.
    """
    if not isinstance(block, BookFence):
        return block.fence.body
    try:
        if isinstance(block, OutputFence):
            return Output.load(Program.find(root, block.subject).output).text
        if isinstance(block, PathFence):
            frames = PathRecording.load(Program.find(root, block.subject).path).frames
            return "".join(f"{'  ' * frame.depth}{frame.symbol} ({frame.thread})\n" for frame in frames)
        if isinstance(block, MeasurementsFence):
            values = Results.load(Program.find(root, block.subject).results).values
            rows = [(row.label, row.name) for row in block.rows] or [(name, name) for name in values]
            return "".join(f"{label}: {values[name]:.2g}\n" for label, name in rows)
    except (BookError, KeyError):
        return ""
    address = " ".join(block.subject.split())
    parts = [address, pins.get(address, "")]
    parts += [said.text for said in block.pseudo] if isinstance(block, ExcerptFence) else []
    parts += [f"{one.step}. {one.pattern or ''}: {one.text}" for one in block.steps]
    return "\n".join(parts) + "\n"


def counted_by(page: Page, target: str) -> str:
    """What a claim says: its sentence, how many there are, how many hold and which do not."""
    article, _, claim = target.removeprefix(SCHEME).rpartition("/")
    try:
        count = Counts.load(Counts.file(page.root, article or page.slug)).claims[claim]
    except (BookError, KeyError):
        return ""
    return "\n".join([count.sentence, f"{count.holds} of {count.count}", *count.exceptions]) + "\n"


def locked_digests(root: Path) -> dict[str, str]:
    """The digest of each locked address, by the address; none where there is no lock that can be read."""
    try:
        pins = json.loads((root / LOCK).read_text(encoding="utf-8"))["pins"]
        return {address: str(pin["digest"]) for address, pin in pins.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}  # the room pins speaks of it


def file_of(root: Path, slug: str) -> Path:
    """Where the readings of an article's statements lie."""
    return root / FOLDER / f"{slug}.json"


def tied(root: Path, slug: str) -> list[Tied]:
    """The statements of an article as they were read; none where nobody has. Raises :class:`BookError`."""
    file = file_of(root, slug)
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        if not isinstance(data, list):
            raise ValueError("no list")
        return [Tied.model_validate(one) for one in data]
    except FileNotFoundError:
        return []
    except (ValueError, ValidationError, UnicodeDecodeError) as error:
        reason = str(error).split("\n")[0]
        raise BookError(
            "statement-unread",
            reason,
            "a file that `inside-torch statements` writes",
            file=file.relative_to(root),
        ) from None


def faults(statement: Statement, readings: list[Tied]) -> list[str]:
    """Why a statement is to be read beside its proofs; nothing where it is as it was read."""
    if not statement.proofs:
        return []
    same = next((one for one in readings if one.words == statement.words), None)
    if same is None:
        return ["its words are not those that were read"]
    now = statement.digests
    wrong = [f"`{target}` is a proof that was not read" for target in now if target not in same.proofs]
    wrong += [f"`{target}` was a proof when it was read" for target in same.proofs if target not in now]
    wrong += [
        f"what `{target}` says has changed since it was read"
        for target, digest in now.items()
        if same.proofs.get(target, digest) != digest and statement.proofs[target]
    ]
    return wrong


def tie(root: Path, slug: str, present: list[Statement], read: list[Statement]) -> None:
    """Note that these statements were read beside their proofs now; what no longer stands is forgotten."""
    words = {statement.words for statement in read}
    kept = {one.words: one for one in tied(root, slug)}
    kept |= {one.words: Tied(words=one.words, proofs=one.digests) for one in present if one.words in words}
    listed = [kept[one.words].model_dump() for one in present if one.words in kept]
    write_whole(file_of(root, slug), json.dumps(listed, indent=1, ensure_ascii=False) + "\n")
