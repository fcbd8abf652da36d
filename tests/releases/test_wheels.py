"""A release's files: fetched once, whole or not at all, and never more than is read."""

from __future__ import annotations

import pytest
from inside_torch.errors import BookError
from inside_torch.releases.wheels import LIBRARIES, TEXTS, pip_download, release

from .conftest import NEXT, NEXT_COMMIT


def test_a_release_is_unpacked_once(tmp_path, download):
    first = release(NEXT, at=tmp_path, download=download)
    assert (first.version, first.commit, first.libraries) == (NEXT, NEXT_COMMIT, None)
    assert "def added" in first.wheel.read("torch/small.py").text
    release(NEXT, at=tmp_path, download=download)
    assert download.calls == [TEXTS]


def test_only_what_is_read_is_unpacked(tmp_path, download):
    site = release(NEXT, at=tmp_path, download=download).wheel.site
    kept = {file.relative_to(site).as_posix() for file in site.rglob("*") if file.is_file()}
    assert "torch/include/c10/Box.h" in kept
    assert not kept & {"torch/data.bin", "torch/lib/libc10.so", "elsewhere/setup.py"}


def test_libraries_are_another_wheel(tmp_path, download):
    found = release(NEXT, libraries=True, at=tmp_path, download=download)
    assert download.calls == [TEXTS, LIBRARIES]
    assert [file.name for file in found.libraries.iterdir()] == ["libc10.so"]


def test_an_interrupted_download_leaves_nothing_behind(tmp_path, download):
    def interrupted(version, platforms, folder):
        (folder / "torch-half.whl").write_bytes(b"PK half of it")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        release(NEXT, at=tmp_path, download=interrupted)
    assert list((tmp_path / NEXT).iterdir()) == []
    left = tmp_path / NEXT / ".texts-killed"
    left.mkdir()
    assert release(NEXT, at=tmp_path, download=download).version == NEXT
    assert not left.exists(), "what a killed run left is swept away"


def test_half_a_wheel_is_one_error(tmp_path):
    def half(version, platforms, folder):
        file = folder / "torch-half.whl"
        file.write_bytes(b"PK half of it")
        return file

    with pytest.raises(BookError, match=r"release-wheel.*torch-half\.whl cannot be unpacked"):
        release(NEXT, at=tmp_path, download=half)
    assert list((tmp_path / NEXT).iterdir()) == []


@pytest.mark.parametrize("version", ["", "2.15", "v2.15.0", "../2.15.0", "2.15.0; rm -r /", "2.15.0+cpu"])
def test_what_is_no_version_is_never_asked_for(version, tmp_path, download):
    with pytest.raises(BookError, match="release-version"):
        release(version, at=tmp_path, download=download)
    assert not download.calls and not list(tmp_path.iterdir())


def test_a_wheel_of_another_version_is_refused(tmp_path, download):
    with pytest.raises(BookError, match=f"release-version.*a wheel of torch {NEXT}"):
        release("2.98.0", at=tmp_path, download=download)


def test_what_pip_cannot_find_is_one_error(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    with pytest.raises(BookError, match=r"release-download.*no wheel of torch 2\.99\.0 for macosx"):
        pip_download(NEXT, TEXTS, tmp_path)
