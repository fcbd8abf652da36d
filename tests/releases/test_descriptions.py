"""What changed, in words: read, held against the comparison, proven by the texts, drafted."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from inside_torch.errors import BookError
from inside_torch.pins.resolve import Evidence
from inside_torch.pins.verify import lock_all
from inside_torch.pins.wheel import Wheel
from inside_torch.releases.descriptions import (
    Descriptions,
    ReleaseDescriptions,
    draft,
    note_read,
    parts,
    prove,
)
from inside_torch.releases.drift import DISTANCES, Comparison, Drift, _listed
from inside_torch.releases.stored import of_drifts, stored
from inside_torch.releases.wheels import release

from .conftest import NEXT, NEXT_COMMIT
from .test_drift import ADDRESSES, witnessed

OLDER = "2.98.0"
#: A pin of which nothing is seen but that it changed.
FAR = Drift("src:torch/csrc/far.cpp::far", "changed", "1" * 16, after="2" * 16, why=DISTANCES)
CHANGED, GONE, BOX = "src:torch/small.py::changed", "src:torch/small.py::gone", "src:c10/Box.h::Box"
FAULTS = sorted((Path(__file__).parent.parent / "fixtures" / "broken").glob("releases-words-*"))


@pytest.fixture
def drifts(tmp_path, site, download) -> list[Drift]:
    sources = Evidence(Wheel(site))
    lock, _ = lock_all(tmp_path, {address: (Path("docs/en/a.md"), 1) for address in ADDRESSES}, sources)
    return list(Comparison(lock, sources, release(NEXT, at=tmp_path / "cache", download=download)))


@pytest.fixture
def book(tmp_path, drifts) -> Path:
    """A book that keeps two comparisons; the older release did one thing that the newer did too."""
    of_drifts(NEXT, NEXT_COMMIT, False, [*drifts, FAR]).save(tmp_path)
    alike = [drift for drift in drifts if drift.address == CHANGED]
    other = [replace(drift, after="0" * 16) for drift in drifts if drift.address == BOX]
    of_drifts(OLDER, NEXT_COMMIT, False, [*alike, *other]).save(tmp_path)
    return tmp_path


def described(root: Path) -> Descriptions:
    return Descriptions(root, stored(root))


def write(root: Path, version: str, *entries: dict[str, object]) -> None:
    (root / "docs" / "drift" / f"{version}.words.yml").write_text(yaml.safe_dump(list(entries)))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda folder: folder.name)
def test_fault(fault, book, drifts):
    expect = json.loads((fault / "expect.json").read_text())
    for file in fault.glob("*.yml"):
        shutil.copy(file, book / "docs" / "drift")
    with pytest.raises(BookError) as raised:
        prove_all(book, drifts)
    error = raised.value
    assert (error.rule, error.line) == (expect["rule"], expect["line"]), str(error)
    assert expect["says"] in str(error)
    assert (Path(error.file).parent, Path(error.file).suffix) == (book / "docs" / "drift", ".yml")


def prove_all(root: Path, drifts: list[Drift]) -> None:
    """Raises the first fault of the newer release's words; the texts are asked where there is no other."""
    words = ReleaseDescriptions.load(root, NEXT)
    kept = described(root).faults()
    if words and not [error for error in kept if error.rule not in ("words-missing", "words-unread")]:
        prove(words, drifts)
    for error in kept:
        raise error


def test_there_is_a_fixture_for_each_rule():
    code = Path(__file__).parents[2] / "scripts" / "inside_torch" / "releases" / "descriptions.py"
    rules = set(re.findall(r'"(words-[a-z]+)"', code.read_text()))
    assert rules == {json.loads((fault / "expect.json").read_text())["rule"] for fault in FAULTS}


def test_without_words_there_is_no_fault(book):
    assert described(book).faults() == []


def test_of_a_change_that_nobody_sees_nothing_need_be_said(book):
    write(book, NEXT, {"what": "An assertion says `far` now.", "pins": [FAR.address]})
    [newer] = [one for one in described(book).kept if one.version == NEXT]
    assert FAR.address not in described(book).missing(newer)
    assert {error.rule for error in described(book).faults()} == {"words-missing", "words-unread"}


def test_what_a_user_notices_is_marked(book):
    write(book, NEXT, {"what": "It is longer.", "notable": True, "pins": [BOX]})
    words = ReleaseDescriptions.load(book, NEXT)
    assert words.changes[0].notable
    write(book, NEXT, {"what": "It is longer.", "notable": False, "pins": [BOX]})
    with pytest.raises(BookError, match="`notable` is not `true`"):
        ReleaseDescriptions.load(book, NEXT)


def test_a_change_is_described_once_and_by_the_release_that_made_it(book):
    write(book, OLDER, {"what": "It takes `b`.", "pins": [CHANGED, BOX]})
    write(book, NEXT, {"what": "The size is long.", "pins": [BOX]})
    told = described(book)
    older, newer = told.kept
    change, origin = told.of(newer, CHANGED)
    assert (change.what, origin.version) == ("It takes `b`.", OLDER)
    assert told.of(newer, BOX)[0].what == "The size is long."
    assert told.of(older, BOX)[0].what == "It takes `b`."
    assert told.of(newer, GONE) is None
    assert told.missing(older) == []
    assert CHANGED not in told.missing(newer) and GONE in told.missing(newer)


def test_what_is_gone_twice_is_described_once(book, drifts):
    gone = [drift for drift in drifts if drift.address == GONE]
    of_drifts(OLDER, NEXT_COMMIT, False, gone).save(book)
    told = described(book)
    assert told.missing(told.kept[0]) == [GONE] and GONE not in told.missing(told.kept[1])


def test_the_parts_of_a_description():
    assert list(parts("`a` is now `b::c`.")) == [
        ("", False), ("a", True), (" is now ", False), ("b::c", True), (".", False),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "what",
    [
        "`changed(a, b)` returns `a + b`.",
        "`changed()` took `a` alone: `def changed(a):`.",
        "One of its pins, in `torch/small.py`, has `torch/other/place.py` for a new home.",
        "`return  4` stays what it was.",
    ],
)
def test_a_token_of_any_text_of_any_pin_is_proven(what, book, drifts):
    write(book, NEXT, {"what": what, "pins": [CHANGED, GONE]})
    prove(ReleaseDescriptions.load(book, NEXT), drifts)


@pytest.mark.parametrize("what", ["`chang`", "`b - a`", "`return 5`", "`anged(a)`"])
def test_a_token_of_no_text_is_an_error(what, book, drifts):
    write(book, NEXT, {"what": what, "pins": [CHANGED, GONE]})
    with pytest.raises(BookError, match="words-token"):
        prove(ReleaseDescriptions.load(book, NEXT), drifts)


def test_a_translation_is_proven_too(book, drifts):
    write(book, NEXT, {"what": "It takes `b`.", "zh": "`c`", "pins": [CHANGED]})
    with pytest.raises(BookError, match="`c`"):
        prove(ReleaseDescriptions.load(book, NEXT), drifts)


def test_nothing_is_said_of_words_about_what_could_not_be_compared(book, drifts):
    write(book, NEXT, {"what": "It takes `c`.", "pins": [CHANGED]})
    prove(ReleaseDescriptions.load(book, NEXT), [replace(drift, state="unknown") for drift in drifts])


def unread(root: Path) -> list[str]:
    return [error.found for error in described(root).faults() if error.rule == "words-unread"]


def note(root: Path, *numbers: int) -> None:
    note_read(ReleaseDescriptions.load(root, NEXT), stored(root)[-1].drifts, numbers)


def test_an_entry_is_read_once_and_again_when_its_words_change(book):
    file = book / "docs" / "drift" / f"{NEXT}.words.yml"
    file.write_text(
        f"- what: No more.\n  pins:\n  - '{GONE}'\n# a remark\n- what: Long.\n  pins: ['{BOX}']\n"
    )
    assert unread(book) == ["nobody has read entry 1", "nobody has read entry 2"]
    note(book, 1, 2)
    assert unread(book) == []
    lines = file.read_text().split("\n")
    assert re.fullmatch(r"  read: '[0-9a-f]{16}'", lines[1]) and lines[4] == "# a remark" and len(lines) == 9
    file.write_text(file.read_text().replace("Long.", "Short."))
    assert len(unread(book)) == 1 and "entry 2, " in unread(book)[0] and "Short." in unread(book)[0]
    note(book, 2)
    assert unread(book) == [] and len(file.read_text().split("\n")) == 9


def test_an_entry_is_read_again_when_a_difference_or_its_pins_change(book, drifts):
    write(book, NEXT, {"what": "Long.", "pins": [BOX]}, {"what": "No more.", "pins": [GONE]})
    file = book / "docs" / "drift" / f"{NEXT}.words.yml"
    file.write_text(
        "".join(f"- what: {what}\n  pins: ['{pin}']\n" for what, pin in [("A.", BOX), ("B.", GONE)])
    )
    note(book, 1, 2)
    other = [replace(drift, after="1" * 16) if drift.address == BOX else drift for drift in drifts]
    of_drifts(NEXT, NEXT_COMMIT, False, other).save(book)
    assert len(unread(book)) == 1 and "entry 1, " in unread(book)[0]
    ours = [replace(drift, digest="2" * 16) if drift.address == GONE else drift for drift in drifts]
    of_drifts(NEXT, NEXT_COMMIT, False, ours).save(book)
    assert len(unread(book)) == 1 and "entry 2, " in unread(book)[0]


def test_an_entry_on_one_line_cannot_be_noted(book):
    file = book / "docs" / "drift" / f"{NEXT}.words.yml"
    file.write_text(f"- {{what: No more., pins: ['{GONE}']}}\n")
    with pytest.raises(BookError, match="entry 1 as it is laid out"):
        note(book, 1)
    assert "read" not in file.read_text()


def test_the_draft_shows_what_is_to_be_read_with_its_difference(book, drifts):
    write(book, NEXT, {"what": "The size is long.", "pins": [BOX]})
    told = described(book)
    text = "\n".join(draft(told, told.kept[1], drifts))
    assert "# entry 1 is to be read: The size is long." in text
    assert "long size;" in text.partition("# entry 1")[2]


def test_the_draft_has_what_is_missing_with_its_difference(book, drifts):
    write(book, NEXT, {"what": "The size is long.", "pins": [BOX]})
    told = described(book)
    text = "\n".join(draft(told, told.kept[1], drifts))
    entries = yaml.safe_load(text)
    assert len(entries) == 3 and not any(entry["what"] for entry in entries)
    assert sorted(pin for entry in entries for pin in entry["pins"]) == sorted(told.missing(told.kept[1]))
    assert "  #   +    second = 20" in text and "perhaps now: torch/other/place.py:5" in text
    assert "changed(a, b)" not in text, "the older release describes it"


def test_the_draft_says_what_an_older_release_did_otherwise(book, drifts):
    write(book, OLDER, {"what": "The size is short.", "pins": [BOX]})
    told = described(book)
    assert "otherwise in 2.98.0: The size is short." in "\n".join(draft(told, told.kept[1], drifts))


def test_the_draft_puts_together_what_shares_a_line(book):
    diff = ("---", "+++", "-  int size;", "+  long size;")
    several = [Drift(address, "changed", "0", diff=diff) for address in (BOX, f"{BOX}#int size;")]
    kept = of_drifts(NEXT, NEXT_COMMIT, False, several)
    text = "\n".join(draft(Descriptions(book, [kept]), kept, several))
    assert yaml.safe_load(text) == [{"what": "", "pins": [BOX, f"{BOX}#int size;"]}]
    assert text.count("+  long size;") == 1 and "#   as above" in text


def test_assertions_are_listed_by_their_distances():
    assert _listed(witnessed(12, 20).witnesses) == ["run, first: check 12", "run, 8 lines on: check 20"]
