"""What every test shares: where the repository is, and one set of caches for all that is compiled."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from inside_torch.run.debugger import Debugger
from inside_torch.run.process import PATIENT, caches

# OpenMP reads it when torch is imported, which no test has done yet.
os.environ.update(PATIENT)


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session", autouse=True)
def shared_caches() -> None:
    """Compiled kernels and extensions go where the programs of the book keep theirs."""
    os.environ.update(caches())


@pytest.fixture(scope="session")
def debugger() -> Iterator[Debugger]:
    """One gdb for every call path: it reads torch's symbols once."""
    with Debugger() as gdb:
        yield gdb
