"""What became of each kind of pin, on two releases that fit on a page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from inside_torch.book.whole_book import Book
from inside_torch.digest import sealed
from inside_torch.errors import BookError
from inside_torch.pins.release import RELEASE
from inside_torch.pins.resolve import Evidence, Pin, digest
from inside_torch.pins.verify import lock_all
from inside_torch.pins.wheel import Wheel
from inside_torch.pins.witness import Witness
from inside_torch.releases.drift import Comparison, Drift, _witnessed, counts, permalink
from inside_torch.releases.passages import passages
from inside_torch.releases.stored import Stored, of_drifts, stored
from inside_torch.releases.wheels import release

from .conftest import NEXT, NEXT_COMMIT

ADDRESSES = {
    "src:torch/small.py::kept": "same",
    "src:torch/small.py::moved": "moved",
    "src:torch/small.py::changed": "changed",
    "src:torch/small.py::gone": "gone",
    "src:torch/small.py::line#second = 2": "changed",
    "src:torch/small.py": "same",
    "src:torch/lost.py::lonely": "gone",
    "src:c10/Box.h::Box": "changed",
}


@pytest.fixture
def comparison(tmp_path, site, download) -> Comparison:
    sources = Evidence(Wheel(site))
    used = {address: (Path("docs/en/a.md"), 1) for address in ADDRESSES}
    lock, _ = lock_all(tmp_path, used, sources)
    return Comparison(lock, sources, release(NEXT, at=tmp_path / "cache", download=download))


@pytest.fixture
def drifts(comparison) -> dict[str, Drift]:
    return {drift.address: drift for drift in comparison}


def test_every_state(drifts):
    assert {address: drift.state for address, drift in drifts.items()} == ADDRESSES
    assert counts(list(drifts.values())) == {"same": 2, "moved": 1, "changed": 3, "gone": 2, "unknown": 0}


def test_a_moved_pin_has_its_new_lines_and_no_difference(drifts):
    moved = drifts["src:torch/small.py::moved"]
    assert (moved.first, moved.last, moved.diff) == (12, 13, ())


def test_a_changed_pin_shows_what_changed(drifts):
    changed = drifts["src:torch/small.py::changed"]
    assert (changed.added, changed.removed) == (2, 2)
    assert "-def changed(a):" in changed.diff and "+    return a + b" in changed.diff


def test_a_changed_line_is_shown_beside_the_nearest(drifts):
    line = drifts["src:torch/small.py::line#second = 2"]
    assert "-    second = 2" in line.diff and "+    second = 20" in line.diff


def test_what_is_gone_has_its_likely_new_home(drifts):
    assert drifts["src:torch/small.py::gone"].home == ("torch/other/place.py:5",)
    assert drifts["src:torch/lost.py::lonely"].why == "the file is gone"


def test_the_link_leads_to_the_other_commit(comparison, drifts):
    moved = drifts["src:torch/small.py::moved"]
    link = permalink(comparison.release, "torch/small.py", moved)
    assert link.endswith(f"/blob/{NEXT_COMMIT}/torch/small.py#L12-L13")
    assert permalink(comparison.release, "torch/small.py", drifts["src:torch/small.py::gone"]) is None


def witnessed(*lines: int, at: int = 10, end: int = 40) -> Pin:
    held = tuple(Witness(line, "run", f"check {line}") for line in lines)
    return Pin("src:a.cpp::run", at, end, "witness", digest(["x"]), witnesses=held)


@pytest.mark.parametrize(
    ("there", "state", "first"),
    [
        ([(12, "check 12"), (20, "check 20")], "same", 10),
        ([(17, "check 12"), (25, "check 20")], "moved", 15),
        ([(17, "check 12"), (29, "check 20")], "changed", None),
        ([(12, "check 12")], "changed", None),
        ([(12, "another check")], "changed", None),
        ([], "gone", None),
    ],
)
def test_a_compiled_function_is_compared_by_its_assertions(there, state, first):
    found = _witnessed(witnessed(12, 20), [Witness(line, "run", text) for line, text in there])
    assert (found.state, found.first) == (state, first)
    assert found.why


def test_without_libraries_a_compiled_file_is_unknown_and_says_why(comparison):
    pin = witnessed(12)
    pin = Pin(_Address("torch/a.cpp"), 10, 40, "witness", pin.digest, witnesses=pin.witnesses)
    found = comparison.compare(pin)
    assert found.state == "unknown" and "no library of 2.99.0" in found.why


class _Address(str):
    """What a comparison asks of an address whose file nobody has."""

    @property
    def path(self) -> str:
        return str(self)


def test_what_is_kept_can_be_read_again(tmp_path, drifts):
    kept = of_drifts(NEXT, NEXT_COMMIT, False, drifts.values())
    file = kept.save(tmp_path)
    assert stored(tmp_path) == [kept]
    assert "return a + b" not in file.read_text(), "no line of PyTorch is kept"


def test_a_comparison_edited_by_hand_is_refused(tmp_path, drifts):
    file = of_drifts(NEXT, NEXT_COMMIT, False, drifts.values()).save(tmp_path)
    assert '"state": "changed"' in file.read_text()
    file.write_text(file.read_text().replace('"state": "changed"', '"state": "same"', 1))
    with pytest.raises(BookError, match=r"\[drift-form\].*not what was recorded"):
        stored(tmp_path)


def test_a_pin_that_was_another_when_it_was_compared_has_no_drift(comparison, drifts):
    kept = of_drifts(NEXT, NEXT_COMMIT, False, drifts.values())
    pin = next(pin for pin in comparison.lock if str(pin.address) == "src:torch/small.py::kept")
    assert kept.of(pin).state == "same"
    other = Pin(pin.address, pin.first, pin.last, "text", "0" * 16)
    assert kept.of(other) is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no comparison"),
        ("[]", "no comparison"),
        ('{"release": "2.98.0", "against": "' + RELEASE + '", "pins": {}}', "2.98.0"),
        (
            '{"release": "2.99.0", "against": "'
            + RELEASE
            + '", "commit": "x", "libraries": true, "pins": {}}',
            "commit",
        ),
        (
            '{"release": "2.99.0", "against": "' + RELEASE + '", '
            '"pins": {"src:a.py": {"state": "fine", "digest": ""}}}',
            "state 'fine' of src:a.py",
        ),
        (
            '{"release": "2.99.0", "against": "' + RELEASE + '", '
            '"pins": {"src:a.py": {"state": "same", "digest": "", "text": "x"}}}',
            "text of src:a.py",
        ),
    ],
)
def test_a_file_that_is_none_of_ours_is_one_error(text, says, tmp_path):
    file = Stored.file(tmp_path, NEXT)
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps(sealed(json.loads(text))) if text.startswith("{") else text)
    with pytest.raises(BookError, match="drift-form") as raised:
        Stored.load(tmp_path, NEXT)
    assert says in str(raised.value) and "drift 2.99.0 --write" in str(raised.value)


def test_the_passages_to_read_again(tmp_path, drifts):
    page = tmp_path / "docs" / "en" / "a.md"
    page.parent.mkdir(parents=True)
    page.write_text(
        "# A {#a}\n\n## Part {#part}\n\nThe function\n"
        "[changed](src:torch/small.py::changed) adds nothing.\n\n"
        "[kept](src:torch/small.py::kept) stays.\n"
    )
    [(drift, passage)] = passages(Book.load(tmp_path), drifts.values())["docs/en/a.md"]
    assert drift.state == "changed"
    assert (passage.line, passage.heading) == (6, "part")
    assert passage.words == "The function changed adds nothing."
