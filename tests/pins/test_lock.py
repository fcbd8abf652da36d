"""The lock file: written whole, read strictly, held against its sources."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from inside_torch.bench.sample_addresses import sample_addresses
from inside_torch.errors import BookError
from inside_torch.pins.lock import Excerpt, PinLock
from inside_torch.pins.release import COMMIT, RELEASE
from inside_torch.pins.resolve import resolve
from inside_torch.pins.verify import lock_all, uses_against, verify
from inside_torch.pins.witness import Witness

GRAPH = "src:torch/autograd/graph.py::_engine_run_backward"
FIELD = "src:torch/csrc/autograd/edge.h::Edge#uint32_t input_nr;"
WHOLE = "src:torch/csrc/autograd/edge.h"
QUEUE = "src:torch/csrc/autograd/engine.cpp::Engine::ready_queue"


def locked(root: Path, addresses, sources) -> PinLock:
    lock, _ = lock_all(root, {address: (Path("a.md"), 1) for address in addresses}, sources)
    return lock


@pytest.fixture
def lock(tmp_path, sources) -> PinLock:
    return locked(tmp_path, [GRAPH, FIELD, WHOLE], sources)


def test_what_is_saved_reads_back(tmp_path, searched):
    lock = locked(tmp_path, [GRAPH, FIELD, WHOLE, QUEUE], searched)
    lock.save()
    again = PinLock.load(tmp_path)
    assert list(again) == list(lock) and again.addresses == sorted([GRAPH, FIELD, WHOLE, QUEUE])
    text = lock.file.read_text()
    assert json.loads(text)["release"] == RELEASE and json.loads(text)["commit"] == COMMIT
    assert sum(line.startswith('"src:') for line in text.split("\n")) == 4  # a line a pin
    before = lock.file.read_bytes()
    again.save()
    assert lock.file.read_bytes() == before


def test_a_lock_is_never_half_written(lock, monkeypatch):
    lock.save()
    before = lock.file.read_bytes()
    monkeypatch.setattr(os, "replace", lambda *paths: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(BookError, match="disk full"):
        lock.save()
    assert lock.file.read_bytes() == before
    assert [file.name for file in lock.root.iterdir()] == ["pins.lock"]


def test_no_file_is_an_empty_lock(tmp_path):
    lock = PinLock.load(tmp_path)
    assert not len(lock)
    with pytest.raises(BookError) as caught:
        lock.pin(GRAPH)
    assert caught.value.rule == "pin-not-locked"


def test_an_address_that_is_not_locked_names_the_nearest(lock):
    with pytest.raises(BookError) as caught:
        lock.pin("src:torch/autograd/graph.py::_engine_run_backwards")
    assert GRAPH in caught.value.nearest


def test_excerpts(lock):
    excerpt = lock.excerpt(FIELD)
    assert excerpt == Excerpt(38, ["  uint32_t input_nr;"], "cpp")
    whole = lock.excerpt(GRAPH)
    assert whole.language == "python" and whole.lines[0].startswith("def _engine_run_backward(")
    assert len(whole.lines) == lock.pin(GRAPH).last - lock.pin(GRAPH).first + 1
    assert lock.excerpt(WHOLE) is None


def test_an_excerpt_is_held_against_its_digest(lock, tmp_path):
    broken = PinLock(tmp_path, {GRAPH: replace(lock.pin(GRAPH), digest="0" * 16)})
    with pytest.raises(BookError) as caught:
        broken.excerpt(GRAPH)
    assert caught.value.rule == "pin-changed"


def test_a_witnessed_pin_has_no_excerpt(tmp_path, searched):
    assert locked(tmp_path, [QUEUE], searched).excerpt(QUEUE) is None


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {},
        {"first": 1},
        {"first": 3, "last": 1, "evidence": "text", "digest": "x"},
        {"first": "1", "last": 1, "evidence": "text", "digest": "x"},
        {"first": True, "last": True, "evidence": "text", "digest": "x"},
        {"first": 1, "last": 1, "evidence": "hearsay", "digest": "x"},
        {"first": 1, "last": 1, "evidence": "file", "digest": "x"},
        {"first": None, "last": None, "evidence": "text", "digest": "x"},
        {"first": 1, "last": 1, "evidence": "text", "digest": 5},
        {"first": 1, "last": 1, "evidence": "witness", "digest": "x", "witnesses": [[1, "f"]]},
        {"first": 1, "last": 1, "evidence": "witness", "digest": "x", "witnesses": [["1", "f", "", ""]]},
        {"first": 1, "last": 1, "evidence": "witness", "digest": "x", "witnesses": 3},
    ],
)
def test_a_record_of_another_form_is_one_error(tmp_path, record):
    text = json.dumps({"release": RELEASE, "commit": COMMIT, "pins": {GRAPH: record}}, indent=1)
    (tmp_path / "pins.lock").write_text(text)
    with pytest.raises(BookError) as caught:
        PinLock.load(tmp_path)
    assert caught.value.rule == "lock-form" and caught.value.line == 5


def test_witnesses_are_searched_again(tmp_path, searched):
    pin = locked(tmp_path, [QUEUE], searched).pin(QUEUE)
    assert verify(PinLock(tmp_path, {QUEUE: pin}), searched, witnesses=True) == ([], [])
    first, *rest = pin.witnesses
    for other in (
        replace(first, line=first.line + 1),
        replace(first, function="another"),
        replace(first, text="another condition"),
    ):
        lock = PinLock(tmp_path, {QUEUE: replace(pin, witnesses=(other, *rest))})
        (error,), _ = verify(lock, searched, witnesses=True)
        assert error.rule in ("pin-changed", "pin-contradicted") and "Engine::ready_queue" in error.found


def test_a_witness_outside_the_pinned_lines_is_found_without_a_search(tmp_path, searched):
    pin = locked(tmp_path, [QUEUE], searched).pin(QUEUE)
    moved = replace(pin, witnesses=tuple(replace(w, line=w.line + 100) for w in pin.witnesses))
    (error,), _ = verify(PinLock(tmp_path, {QUEUE: moved}), searched)
    assert error.rule in ("pin-moved", "pin-changed")


def test_a_pin_of_the_cuda_build_is_kept_and_said(tmp_path, searched):
    if searched.witnesses.cuda:
        pytest.skip("this is the CUDA build: its libraries are searched")
    address = "src:c10/cuda/CUDACachingAllocator.cpp::DeviceCachingAllocator::stream_get_capture_info"

    class OfTheCudaBuild:
        def witnesses(self, path):
            return (Witness(2200, "stream_get_capture_info", "made up"),)

    pin = resolve(address, replace(searched, witnesses=OfTheCudaBuild()))
    lock = PinLock(tmp_path, {address: pin})
    wrong, notes = verify(lock, searched, witnesses=True)
    assert not wrong and len(notes) == 1 and "not searched" in notes[0]
    lock.save()
    kept, changes = lock_all(tmp_path, {address: (Path("a.md"), 1)}, searched)
    assert not changes and kept.pin(address) == pin


def test_all_that_is_wrong_is_said_and_nothing_written(tmp_path, sources):
    used = {
        "src:torch/no.py": (Path("a.md"), 1),
        GRAPH: (Path("a.md"), 2),
        f"{GRAPH}.nothing": (Path("b.md"), 3),
    }
    with pytest.raises(ExceptionGroup) as caught:
        lock_all(tmp_path, used, sources)
    assert sorted(error.place for error in caught.value.exceptions) == ["a.md:1", "b.md:3"]
    assert not (tmp_path / "pins.lock").exists()


def test_uses_and_pins_must_be_the_same(lock):
    used = {GRAPH: [(Path("a.md"), 1)], FIELD: [(Path("a.md"), 2)], f"{GRAPH}#try:": [(Path("a.md"), 7)]}
    errors = uses_against(lock, used)
    assert sorted(error.rule for error in errors) == ["pin-not-locked", "pin-unused"]
    assert errors[0].place == "a.md:7"


def test_an_address_that_means_nothing_is_told_from_a_new_one(lock, sources):
    new, misspelt = f"{GRAPH}#try:", f"{GRAPH}s"
    used = {new: [(Path("a.md"), 7)], misspelt: [(Path("a.md"), 8)]}
    first, second = (error for error in uses_against(lock, used, sources) if error.rule != "pin-unused")
    assert (first.rule, first.nearest, first.place) == ("pin-not-locked", "", "a.md:7")
    assert (second.rule, second.place) == ("pin-symbol", "a.md:8")
    assert "_engine_run_backward" in second.nearest


def test_a_file_is_asked_for_once(wheel, monkeypatch):
    from inside_torch.pins import resolve as resolving
    from inside_torch.pins.resolve import Evidence

    parsed, real = [], resolving.symbols_of
    monkeypatch.setattr(resolving, "symbols_of", lambda source: parsed.append(source.path) or real(source))
    sources = Evidence(wheel)
    for _ in range(3):
        for name in ("Node", "_engine_run_backward", "saved_tensors_hooks"):
            resolve(f"src:torch/autograd/graph.py::{name}", sources)
    assert parsed == ["torch/autograd/graph.py"]


def test_sample_addresses_each_mean_one_place(searched, tmp_path):
    addresses = sample_addresses(100, searched)
    assert len(set(addresses)) == 100 == len(locked(tmp_path, addresses, searched))
    assert addresses == sample_addresses(100, searched)


def test_the_books_own_text_holds_without_libraries(root, sources):
    """What a platform whose libraries cannot be searched still proves."""
    lock = PinLock.load(root)
    found, _ = verify(lock, sources)
    assert len(lock) > 0 and [str(error) for error in found] == []
