"""What a release changed, in a person's words: ``docs/drift/<version>.words.yml``, written by hand.

A list of entries, each with ``what`` changed, in a sentence or two, and the ``pins`` that this change
touched. A pin that an earlier release changed into the very same text is described there, and only there.
Of one whose assertions alone stand at other distances nothing need be said. ``notable: true`` marks what a
user of the release would notice: the release's page begins with it.
``read`` is a digest of the words and of each pin's text in both releases, noted by somebody who read them
side by side; where one of these is another now, the entry is to be read again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from inside_torch import yaml_file
from inside_torch.digest import digest_of
from inside_torch.errors import BookError, counted, nearest
from inside_torch.files import write_whole
from inside_torch.releases.drift import Drift
from inside_torch.releases.stored import FOLDER, Stored

SUFFIX = ".words.yml"
#: Characters of one description: it stands in the head of an excerpt.
LONGEST = 320
#: Languages that an entry may be translated into, each by a key of its own.
TRANSLATED = ("zh",)
#: What can only be said of a pin that nobody sees: it says nothing.
_DISTANCE = re.compile(r"\b\d+ lines?\b")
FORM = "entries of `what:`, a sentence or two with `code` in backticks, and `pins:`, a list of addresses"

_PART = re.compile(r"`([^`]+)`")


@dataclass(frozen=True)
class Description:
    """One entry: ``what`` changed, in English, and the addresses of the pins that it touched.

    ``line`` (1-based) is where it stands in ``file``, ``lines`` where each of its pins does; ``translated``
    has the same text in other languages; ``read`` is the digest of what was read, empty where nobody has;
    ``notable`` is whether somebody who knows nothing of the source would notice.
    """

    what: str
    pins: tuple[str, ...]
    file: Path
    line: int
    lines: tuple[int, ...] = ()
    translated: dict[str, str] = field(default_factory=dict, hash=False)
    read: str = ""
    notable: bool = False

    def digest(self, drifts: Mapping[str, Drift]) -> str:
        """Of its words, and of what each pin is and was; ``drifts`` are those of its release, by address."""
        held = [drifts[address] for address in sorted(self.pins) if address in drifts]
        pins = [[drift.address, drift.state, drift.digest, drift.after] for drift in held]
        return digest_of([self.what, self.translated, pins])


def parts(what: str) -> Iterator[tuple[str, bool]]:
    """The pieces of a description in order, each with whether it is code."""
    end = 0
    for found in _PART.finditer(what):
        yield what[end : found.start()], False
        yield found[1], True
        end = found.end()
    yield what[end:], False


def touched(drift: Drift) -> bool:
    """Whether there is a change to describe."""
    return drift.state in ("changed", "gone")


def alike(one: Drift | None, other: Drift) -> bool:
    """Whether two releases did the same to a pin: made it the same text, or took it away."""
    if one is None or (one.state, one.digest, one.after) != (other.state, other.digest, other.after):
        return False
    return bool(other.after) or other.state == "gone"


@dataclass(frozen=True)
class ReleaseDescriptions:
    """All entries of one release."""

    version: str
    file: Path
    changes: tuple[Description, ...]

    @classmethod
    def load(cls, root: Path, version: str) -> ReleaseDescriptions | None:
        """Reads the file; None where there is none. Raises :class:`BookError` with the line of a fault."""
        file = root / FOLDER / f"{version}{SUFFIX}"
        if not file.is_file():
            return None
        with yaml_file.reading("words-form", file, FORM):
            node = yaml_file.node(file.read_text(encoding="utf-8"))
        if not isinstance(node, yaml.SequenceNode):
            raise BookError("words-form", "no list", FORM, file=file, line=1)
        return cls(version, file, tuple(_change(file, entry) for entry in node.value))

    @cached_property
    def by_pin(self) -> dict[str, Description]:
        """The entry of each address."""
        return {address: change for change in reversed(self.changes) for address in change.pins}


def _change(file: Path, node: yaml.Node) -> Description:
    """One entry from its node of the file."""

    def wrong(found: str, at: yaml.Node, near: str = "") -> BookError:
        return BookError("words-form", found, FORM, near, file, at.start_mark.line + 1)

    if not isinstance(node, yaml.MappingNode):
        raise wrong("an entry that is no mapping", node)
    texts: dict[str, str] = {}
    pins: list[yaml.Node] = []
    read, notable = "", False
    for key, value in node.value:
        if key.value == "pins":
            if not isinstance(value, yaml.SequenceNode) or not value.value:
                raise wrong("`pins` is no list of addresses", key)
            pins = value.value
        elif key.value == "read":
            read = value.value if isinstance(value, yaml.ScalarNode) else ""
        elif key.value == "notable":
            notable = isinstance(value, yaml.ScalarNode) and value.value == "true"
            if not notable:
                raise wrong("`notable` is not `true`", key)
        elif key.value in ("what", *TRANSLATED):
            texts[key.value] = _text(value, wrong)
        else:
            keys = ("what", "pins", "read", "notable", *TRANSLATED)
            raise wrong(f"the key `{key.value}`", key, nearest(str(key.value), keys))
    if "what" not in texts or not pins:
        raise wrong(f"an entry without `{'pins' if 'what' in texts else 'what'}`", node)
    for pin in pins:
        if not isinstance(pin, yaml.ScalarNode):
            raise wrong("an address that YAML reads as something else", pin, "the address in single quotes")
    return Description(
        texts.pop("what"),
        tuple(pin.value for pin in pins),
        file,
        node.start_mark.line + 1,
        tuple(pin.start_mark.line + 1 for pin in pins),
        texts,
        read,
        notable,
    )


def _text(node: yaml.Node, wrong: Callable[[str, yaml.Node], BookError]) -> str:
    """A description: not empty, not long, each backtick with its partner."""
    text = " ".join(node.value.split()) if isinstance(node, yaml.ScalarNode) else ""
    if not text:
        raise wrong("an empty description", node)
    if len(text) > LONGEST:
        raise wrong(f"a description of {len(text)} characters, more than {LONGEST}", node)
    if any("`" in part for part, code in parts(text) if not code):
        raise wrong("a backtick without its partner", node)
    return text


class Descriptions:
    """The words of every release that is ``kept``, oldest first; raises :class:`BookError` on loading."""

    def __init__(self, root: Path, kept: Sequence[Stored]) -> None:
        self.root = root
        self.kept = kept
        found = (ReleaseDescriptions.load(root, one.version) for one in kept)
        self.words = {words.version: words for words in found if words is not None}

    def origin(self, one: Stored, address: str) -> Stored:
        """The oldest release that did to the pin what ``one`` did."""
        drift = one.drifts[address]
        return next(each for each in self.kept if each is one or alike(each.drifts.get(address), drift))

    def of(self, one: Stored, address: str) -> tuple[Description, Stored] | None:
        """The words about a pin that ``one`` changed, and the release whose they are; None where none are."""
        origin = self.origin(one, address)
        words = self.words.get(origin.version)
        change = words.by_pin.get(address) if words else None
        return (change, origin) if change else None

    def missing(self, one: Stored) -> list[str]:
        """The addresses that the words of ``one`` ought to describe, and do not."""
        words = self.words.get(one.version)
        said = words.by_pin if words else {}
        return [
            address
            for address, drift in one.drifts.items()
            if touched(drift)
            and not drift.unseen
            and address not in said
            and self.origin(one, address) is one
        ]

    def unread(self, one: Stored) -> list[tuple[int, Description]]:
        """The entries of ``one`` that are not as they were read, each with its number, from 1 on."""
        words = self.words.get(one.version)
        listed = enumerate(words.changes if words else (), start=1)
        return [(number, change) for number, change in listed if change.read != change.digest(one.drifts)]

    def faults(self) -> list[BookError]:
        """What is wrong with the words: of no comparison, of a pin that did not change, twice, incomplete,
        not read since they or the texts changed.

        A release without a file of words is no fault.
        """
        wrong = []
        versions = [one.version for one in self.kept]
        for file in sorted((self.root / FOLDER).glob(f"*{SUFFIX}")):
            version = file.name.removesuffix(SUFFIX)
            if version not in versions:
                form = "words about a release that docs/drift compares"
                near = nearest(version, versions)
                wrong.append(BookError("words-release", f"no comparison with {version}", form, near, file))
        for one in self.kept:
            if words := self.words.get(one.version):
                wrong += self._pins(one, words)
                wrong += [
                    BookError("words-missing", f"nothing about {address}", "what changed, in words",
                              f"`inside-torch drift {one.version} --words` prints a draft", words.file)
                    for address in self.missing(one)
                ]  # fmt: skip
                wrong += [
                    BookError(
                        "words-unread",
                        f"entry {number}, its words or the texts of its pins, is not as it was read: "
                        f"{change.what[:80]}" if change.read else f"nobody has read entry {number}",
                        f"read beside what `inside-torch drift {one.version} --libraries --words` prints,"
                        f" then `inside-torch drift {one.version} --read {number}`",
                        file=words.file,
                        line=change.line,
                    )
                    for number, change in self.unread(one)
                ]  # fmt: skip
        return wrong

    def _pins(self, one: Stored, words: ReleaseDescriptions) -> Iterator[BookError]:
        """The faults of the addresses in one file."""
        known = [address for address, drift in one.drifts.items() if touched(drift)]
        seen: dict[str, int] = {}
        for change in words.changes:
            drifts = [one.drifts[address] for address in change.pins if address in one.drifts]
            distance = _DISTANCE.search(change.what) if all(drift.unseen for drift in drifts) else None
            if drifts and distance:
                form = "no entry, since nothing is seen of the change; or what is known of it"
                found = f"`{distance[0]}`, of pins of which no line is seen"
                yield BookError("words-distance", found, form, file=words.file, line=change.line)
            for address, line in zip(change.pins, change.lines, strict=True):
                drift = one.drifts.get(address)
                place: dict[str, Any] = {"file": words.file, "line": line}
                if drift is None:
                    form = f"a pin that changed in {one.version}"
                    found = f"{address} is no pin of the comparison"
                    yield BookError("words-pin", found, form, nearest(address, known), **place)
                elif not touched(drift):
                    form = f"a pin that changed in {one.version}"
                    yield BookError("words-pin", f"{address} is {drift.state}", form, **place)
                elif address in seen:
                    found = f"{address} stands on line {seen[address]} too"
                    yield BookError("words-twice", found, "one description of each pin", **place)
                elif (origin := self.origin(one, address)) is not one:
                    found = f"{address} has the text that {origin.version} gave it"
                    form = f"its description in {origin.version}{SUFFIX} alone"
                    yield BookError("words-twice", found, form, **place)
                seen.setdefault(address, line)


def note_read(words: ReleaseDescriptions, drifts: Mapping[str, Drift], numbers: Collection[int]) -> None:
    """Writes the digest of these entries, counted from 1, into their file, for they have been read."""
    text = words.file.read_text(encoding="utf-8")
    node = yaml_file.node(text)
    assert node is not None  # the words were read from it
    lines = text.split("\n")
    for number in sorted(set(numbers), reverse=True):
        entry, change = node.value[number - 1], words.changes[number - 1]
        keys = {key.value: key.start_mark for key, _ in entry.value}
        at = keys.get("read") or entry.value[1][0].start_mark
        if entry.flow_style or at.line == entry.start_mark.line:
            raise BookError(
                "words-form", f"entry {number} as it is laid out", "`what:` first, each key on a line",
                file=words.file, line=change.line,
            )  # fmt: skip
        line = f"{' ' * at.column}read: '{change.digest(drifts)}'"
        lines[at.line : at.line + ("read" in keys)] = [line]
    write_whole(words.file, "\n".join(lines))


def prove(words: ReleaseDescriptions, drifts: Iterable[Drift]) -> None:
    """Raises :class:`BookError` for a ``code`` token that no pin of its entry has, before or after.

    An entry with a pin that could not be compared is left alone.
    """
    found = {drift.address: drift for drift in drifts}
    for change in words.changes:
        held = [found[address] for address in change.pins if address in found]
        if not held or any(drift.state == "unknown" for drift in held):
            continue
        text = " ".join(" ".join(_own(drift)) for drift in held)
        text = " ".join(text.split())
        for what in (change.what, *change.translated.values()):
            for token in (part for part, code in parts(what) if code):
                if not _stands(token, text):
                    raise BookError(
                        "words-token",
                        f"`{token}` in no text of {counted(len(held), 'pin')}, before or after the change",
                        "a word of the source, or no backticks",
                        nearest(token, set(re.findall(r"[\w.:]*\w", text))),
                        change.file,
                        change.line,
                    )


def _own(drift: Drift) -> Iterator[str]:
    """All that a description of this pin may quote."""
    yield drift.address
    yield drift.why
    yield from drift.home
    yield from drift.texts


def _stands(token: str, text: str) -> bool:
    """Whether a text holds the token as a word of its own; blanks count as one, ``f()`` as ``f``."""
    token = " ".join(token.removesuffix("()").split())
    before = r"(?<!\w)" if re.match(r"\w", token) else ""
    after = r"(?!\w)" if re.search(r"\w$", token) else ""
    return re.search(before + re.escape(token) + after, text) is not None


def draft(described: Descriptions, one: Stored, drifts: Iterable[Drift]) -> Iterator[str]:
    """Lines of a file of words for the pins of ``one`` that have none yet, their differences as comments.

    Pins of a file whose differences share a line are drafted as one entry. Entries that are to be read again
    come after them, as comments. It holds PyTorch's text, so it is to be read and not to be kept.
    """
    drifts = list(drifts)
    wanted = set(described.missing(one))
    groups = _groups(drift for drift in drifts if drift.address in wanted)
    yield f"# {one.version}: {counted(len(wanted), 'pin')} without words, in {counted(len(groups), 'group')}"
    for group in groups:
        yield ""
        yield '- what: ""'
        yield "  pins:"
        for drift in group:
            yield "  - '" + drift.address.replace("'", "''") + "'"
        yield from _differences(described, one, group)
    found = {drift.address: drift for drift in drifts}
    for number, change in described.unread(one):
        yield ""
        yield f"# entry {number} is to be read: {change.what}"
        yield from _differences(described, one, [found[pin] for pin in change.pins if pin in found])


def _differences(described: Descriptions, one: Stored, group: Iterable[Drift]) -> Iterator[str]:
    """What changed in these pins, as comments."""
    shown: set[str] = set()
    for drift in sorted(group, key=lambda each: -len(each.diff)):
        yield f"  # {drift.state} {drift.address}" + (f" ({drift.why})" if drift.why else "")
        for other in described.kept[: described.kept.index(one)]:
            if drift.address in other.drifts and touched(other.drifts[drift.address]):
                known = described.of(other, drift.address)
                said = f"{known[0].what} ({known[1].version})" if known else "no words yet"
                yield f"  # otherwise in {other.version}: {said}"
        if drift.home:
            yield f"  # perhaps now: {', '.join(drift.home)}"
        if _differing(drift) <= shown and shown:
            yield "  #   as above"
            continue
        shown |= _differing(drift)
        for line in drift.diff[2:]:
            yield f"  #   {line}".rstrip()


def _groups(drifts: Iterable[Drift]) -> list[list[Drift]]:
    """Pins of the same file together where their differences have a line in common."""
    groups: list[tuple[str, set[str], list[Drift]]] = []
    for drift in drifts:
        path = drift.address.partition("::")[0]
        lines = {line for line in _differing(drift) if re.search(r"\w", line)}
        near = [group for group in groups if group[0] == path and group[1] & lines]
        for group in near:
            groups.remove(group)
        merged = [one for group in near for one in group[2]]
        groups.append((path, lines.union(*(group[1] for group in near)), [*merged, drift]))
    return [group[2] for group in sorted(groups, key=lambda group: group[0])]


def _differing(drift: Drift) -> set[str]:
    return {line for line in drift.diff[2:] if line[:1] in "+-"}
