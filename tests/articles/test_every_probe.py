"""Every probe of every page prints, on every device there is, what its page shows."""

from __future__ import annotations

import pytest
from inside_torch.book.fences import DEVICES
from inside_torch.errors import BookError
from inside_torch.run.probes import check, cuda_missing, probes_of

from .the_book import cases


def with_devices(page):
    found = probes_of(page)
    # One device after the other: what a page registers with the process is there for one at a time.
    return [(probe, device, found) for device in DEVICES for probe in found if device in probe.devices]


@pytest.mark.parametrize("case", cases(with_devices, lambda case: f"{case[0].id}[{case[1]}]"))
def test_probe(case, runner):
    if isinstance(case, BookError):
        pytest.fail(str(case), pytrace=False)
    probe, device, page = case
    if device == "cuda" and (reason := cuda_missing()):
        pytest.skip(reason)
    failure = ""
    try:
        check(probe, runner.run(probe, device, page))
    except BookError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)
