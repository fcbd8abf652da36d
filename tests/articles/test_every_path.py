"""Every call path of the book is recorded again, and is the same."""

from __future__ import annotations

import pytest
from inside_torch.book.fence_kinds import PathFence
from inside_torch.book.recording import Program
from inside_torch.errors import BookError
from inside_torch.run.trace import check_pins, trace

from ..tools import need_gdb
from .the_book import ROOT, cases


def traced(page):
    return [Program.find(ROOT, block.subject) for block in page.of(PathFence)]


@pytest.mark.timeout(0)  # the trace file says how long it may take
@pytest.mark.parametrize("program", cases(traced, lambda program: program.name))
def test_path(program, debugger):
    if isinstance(program, BookError):
        pytest.fail(str(program), pytrace=False)
    check_pins(program)
    need_gdb()
    failure = ""
    try:
        trace(program, debugger, check=True)
    except BookError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)
