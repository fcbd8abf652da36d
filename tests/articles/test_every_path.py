"""Every call path of the book is recorded again, and is the same."""

from __future__ import annotations

import pytest
from inside_torch.book.fence_kinds import PathFence
from inside_torch.book.recording import Program
from inside_torch.errors import BookError
from inside_torch.run.machine import missing
from inside_torch.run.trace import TraceFile, check_pins, trace

from ..tools import need_gdb
from .the_book import ROOT, cases


def traced(page):
    programs = [Program.find(ROOT, block.subject) for block in page.of(PathFence)]
    return [(program, TraceFile.load(program.trace).device) for program in programs]


@pytest.mark.timeout(0)  # the trace file says how long it may take
@pytest.mark.parametrize("case", cases(traced, lambda case: f"{case[0].name}[{case[1]}]"))
def test_path(case, debugger):
    if isinstance(case, BookError):
        pytest.fail(str(case), pytrace=False)
    program, device = case
    check_pins(program)
    if reason := missing(device):
        pytest.skip(reason)
    need_gdb()
    failure = ""
    try:
        trace(program, debugger, check=True)
    except BookError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)
