"""Every example of the glossary prints what the glossary shows."""

from __future__ import annotations

import pytest
from inside_torch.book.glossary import load
from inside_torch.errors import BookError
from inside_torch.run.examples import check, run_all

from .the_book import ROOT

TERMS = [key for key, term in load(ROOT).terms.items() if term.example]


@pytest.fixture(scope="module")
def texts(fork_server) -> dict[str, str]:
    """What each should be, all run in one process."""
    return run_all(ROOT, fork_server.run)


@pytest.mark.timeout(300)  # the first waits for all
@pytest.mark.parametrize("key", TERMS)
def test_example(key, texts):
    failure = ""
    try:
        check(ROOT, key, texts[key])
    except BookError as error:
        failure = str(error)
    if failure:
        pytest.fail(failure, pytrace=False)
