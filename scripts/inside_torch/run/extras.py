"""Packages that a page shows and torch does not ask for, for the programs of the book.

They have a lock file and a folder of their own, so that every other page runs as on a machine that has torch
alone: there, ``import onnx`` fails.
"""

from __future__ import annotations

import re
import sys
from importlib.metadata import distributions
from pathlib import Path

#: Where ``scripts/dev.py`` installs what ``requirements-extras.lock`` names.
FOLDER = Path(sys.prefix) / "extras"


def extras(*names: str) -> None:
    """Let this process import the extra packages, ``names`` among them, for as long as it runs.

    What is in the environment itself is found first. Raises :class:`ModuleNotFoundError` for a package that
    is not installed beside it, with the names of those that are.
    """
    installed = {_plain(found.metadata["Name"]) for found in distributions(path=[str(FOLDER)])}
    for name in names:
        if _plain(name) not in installed:
            known = ", ".join(sorted(installed)) or "none"
            raise ModuleNotFoundError(
                f"`{name}` is none of the extra packages ({known}): see requirements-extras.lock"
            )
    if str(FOLDER) not in sys.path:
        sys.path.append(str(FOLDER))


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()
