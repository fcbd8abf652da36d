"""A plugin of pytest: with ``--cpu-capability`` the tests run as on another processor."""

from __future__ import annotations

import pytest
from inside_torch.run.capability import CAPABILITIES, choose


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds the option."""
    parser.addoption("--cpu-capability", choices=CAPABILITIES, help="the instruction set of torch's kernels")


def pytest_configure(config: pytest.Config) -> None:
    """Makes the choice before a test imports torch, in each process that runs tests."""
    if capability := config.getoption("--cpu-capability"):
        choose(capability)
