"""Every probe of every page prints, on every device there is, what its page shows.

A translation's probe that is its original's, letter by letter, is not run again.
"""

from __future__ import annotations

import hashlib

import pytest
from inside_torch.book.fence_kinds import EVERY_DEVICE
from inside_torch.book.language import ENGLISH
from inside_torch.errors import BookError
from inside_torch.run.machine import missing
from inside_torch.run.probes import check, probes_of

from .the_book import book, cases


def run_digest(probe, page):
    """sha256 of all that a probe's run hangs on: its text and options, and those above it in its group."""
    above = [other for other in page if other.block.group == probe.block.group and other.line <= probe.line]
    texts = [(other.source, sorted(other.block.fence.options.items())) for other in above]
    return hashlib.sha256(repr(texts).encode()).hexdigest()


def with_devices(page):
    found = probes_of(page)
    again = run_already(page)
    # One device after the other: what a page registers with the process is there for one at a time.
    return [
        (probe, device)
        for device in EVERY_DEVICE
        for probe in found
        if device in probe.block.devices and run_digest(probe, found) not in again
    ]


def run_already(page):
    """What the English page of a translation runs: the same code with the same output is not run twice."""
    original = None if page.is_english else book().page(ENGLISH, page.place)
    found = probes_of(original) if original and not original.errors else []
    return {run_digest(probe, found) for probe in found}


@pytest.mark.parametrize("case", cases(with_devices, lambda case: f"{case[0].id}[{case[1]}]"))
def test_probe(case, ran):
    if isinstance(case, BookError):
        pytest.fail(str(case), pytrace=False)
    probe, device = case
    if reason := missing(device):
        pytest.skip(reason)
    one = ran(probe, device)
    try:
        if one.error:
            raise one.error
        check(probe, one.text)
    except BookError as error:
        failure = f"{error}\n{one.stderr[-2000:]}".rstrip()
    else:
        return
    pytest.fail(failure, pytrace=False)
