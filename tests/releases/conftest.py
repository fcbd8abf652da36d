"""Two small releases of torch, made here: wheels with a few files each, and what they do to some pins."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from inside_torch.pins.release import COMMIT, RELEASE

NEXT, NEXT_COMMIT = "2.99.0", "ab" * 20

PYTHON = '''\
"""A module."""


def kept():
    return 1


def moved():
    return 2


def changed(a):
    return a


def gone():
    return 4


def line():
    first = 1
    second = 2
    return first + second
'''
PYTHON_NEXT = '''\
"""A module."""


def kept():
    return 1


def added():
    return 0


def moved():
    return 2


def changed(a, b):
    return a + b


def line():
    first = 1
    second = 20
    return first + second
'''
HEADER = """\
#if !defined(TORCH_STABLE_ONLY) && !defined(TORCH_TARGET_VERSION)
#pragma once
struct Box {
  int size;
};
"""


def version(release: str, commit: str) -> str:
    return f"__version__ = '{release}'\ngit_version = '{commit}'\n"


def files(release: str) -> dict[str, str]:
    """Place in the wheel to text."""
    if release == RELEASE:
        return {
            "torch/__init__.py": "",
            "torch/version.py": version(RELEASE, COMMIT),
            "torch/small.py": PYTHON,
            "torch/lost.py": "def lonely():\n    return 5\n",
            "torch/include/c10/Box.h": HEADER,
        }
    return {
        "torch/__init__.py": "",
        "torch/version.py": version(NEXT, NEXT_COMMIT),
        "torch/small.py": PYTHON_NEXT,
        "torch/other/place.py": "class Gone:\n    pass\n\n\ndef gone():\n    return 4\n",
        "torch/include/c10/Box.h": HEADER.replace("int size;", "long size;"),
        "torch/lib/libc10.so": "no library",
        "torch/data.bin": "not wanted",
        "elsewhere/setup.py": "not wanted",
    }


@pytest.fixture
def site(tmp_path) -> Path:
    """The pinned release, unpacked."""
    for name, text in files(RELEASE).items():
        file = tmp_path / "site" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "site"


@pytest.fixture
def download():
    """A download that makes the wheel of :data:`NEXT`; its ``calls`` are the platforms asked for."""

    def make(release: str, platforms: tuple[str, ...], folder: Path) -> Path:
        make.calls.append(platforms)
        file = folder / f"torch-{release}-any.whl"
        with zipfile.ZipFile(file, "w") as archive:
            for name, text in files(NEXT).items():
                archive.writestr(name, text)
        return file

    make.calls = []
    return make
