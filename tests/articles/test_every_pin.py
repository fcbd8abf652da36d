"""Every pin of the book and every fact of its calls, held against the libraries of the build that runs."""

from __future__ import annotations

import pytest
from inside_torch.book.steps import wanted
from inside_torch.book.uses import places, uses
from inside_torch.pins.calls import CallsLock
from inside_torch.pins.lock import PinLock
from inside_torch.pins.verify import uses_against, verify

from .the_book import ROOT, book


@pytest.fixture(scope="module")
def pins() -> PinLock:
    return PinLock.load(ROOT)


def test_every_pin_holds(pins, searched):
    """Its witnesses are searched again; every address is locked, every pin is used."""
    used, wrong = places(uses(book()))
    wrong += uses_against(pins, used)
    found, notes = verify(pins, searched, witnesses=True)
    assert [str(error) for error in wrong + found] == []
    assert all("--tree" in note or ("CUDA" in note and not searched.witnesses.cuda) for note in notes)


def test_every_fact_of_the_calls_holds(pins, searched):
    wrong, notes = CallsLock.load(ROOT).against(wanted(book(), pins), pins, searched)
    assert [str(error) for error in wrong] == []
    assert not notes or not searched.witnesses.cuda
