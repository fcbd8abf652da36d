"""Every program of the book prints, on every device there is, what is recorded of it."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.run.devices import starter
from inside_torch.run.programs import check, execute, programs, programs_of, skip_reason

from .the_book import book, cases


def with_devices(page):
    return [(told, device) for told in programs_of(page) for device in told.devices]


@pytest.mark.timeout(0)  # each has a limit of its own, said on its page
@pytest.mark.parametrize("case", cases(with_devices, lambda case: f"{case[0].id}[{case[1]}]"))
def test_program(case, fork_server):
    if isinstance(case, BookError):
        pytest.fail(str(case), pytrace=False)
    told, device = case
    if reason := skip_reason(told, device):
        pytest.skip(reason)
    failure = ""
    try:
        check(told, execute(told, device, starter(device, fork_server.run)))
    except BookError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)


def test_each_language_runs_a_program_alike():
    programs(book())
