"""Programs that tests need, skipped without them on a reader's machine and red without them in CI, and how
they start pytest.
"""

from __future__ import annotations

import os
import shutil

import pytest

#: For a pytest in a process of its own: to load all installed plugins takes longer than its tests.
PLUGINS = ("--disable-plugin-autoload", "-p", "xdist")


def need(what: str, program: str | None) -> str:
    """The path of a program; where there is none, in CI the test fails, elsewhere it is skipped."""
    if program is None:
        reason = f"no {what} on this machine"
        if os.environ.get("CI"):
            pytest.fail(f"{reason}, and this is CI: it is installed there", pytrace=False)
        pytest.skip(reason)
    return program


def need_gdb() -> str:
    """The path of gdb, by :func:`need`."""
    return need("gdb", shutil.which("gdb"))
