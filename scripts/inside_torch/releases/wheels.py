"""The files of another release of torch, taken from its wheel: downloaded once, unpacked, never installed."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import platformdirs

from inside_torch.errors import BookError, nearest
from inside_torch.pins import witness
from inside_torch.pins.wheel import HEADERS, Wheel

#: The smallest wheel of a release that has every Python file and every hand-written header (about 130 MB).
TEXTS = ("macosx_14_0_arm64", "macosx_11_0_arm64")
#: The wheel whose libraries remember lines of the files that no wheel holds (540 MB for 2.15.0).
LIBRARIES = ("manylinux_2_28_x86_64",)

_KEPT = (".py", ".pyi", ".yaml", *HEADERS)
_TOPS = ("torch", "torchgen", "functorch")
_VERSION = re.compile(r"\d+\.\d+\.\d+")
#: Downloads the wheel of a version for one of the platforms into a folder; replaced in tests.
Download = Callable[[str, tuple[str, ...], Path], Path]


@dataclass(frozen=True)
class Release:
    """A release of torch as files on this disk.

    ``commit`` is its ``git_version``; ``libraries`` is the folder of its Linux libraries, None where they
    were not asked for.
    """

    version: str
    commit: str
    wheel: Wheel
    libraries: Path | None = None


def cache() -> Path:
    """Where unpacked releases are kept."""
    return platformdirs.user_cache_path("inside-torch") / "releases"


def pip_download(version: str, platforms: tuple[str, ...], folder: Path) -> Path:
    """The wheel's file, by pip, which shows its progress; raises :class:`BookError` where there is none."""
    command = [sys.executable, "-m", "pip", "download", f"torch=={version}", "--dest", str(folder)]
    command += ["--no-deps", "--only-binary=:all:", "--implementation=cp", "--disable-pip-version-check"]
    command += [f"--python-version={sys.version_info[0]}.{sys.version_info[1]}"]
    command += [f"--platform={platform}" for platform in platforms]
    done = subprocess.run(command, stderr=subprocess.PIPE, text=True, stdout=sys.stderr)
    found = sorted(folder.glob("torch-*.whl"))
    if done.returncode or not found:
        known = re.search(r"\(from versions: ([^)]*)\)", done.stderr)
        errors = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
        raise BookError(
            "release-download",
            f"no wheel of torch {version} for {' or '.join(platforms)}: "
            + (errors[-1].removeprefix("ERROR: ") if errors else f"pip ended with status {done.returncode}"),
            "a version that the package index has, and network access to it",
            nearest(version, known[1].split(", ")) if known else "",
        )
    return found[0]


def release(
    version: str, *, libraries: bool = False, at: Path | None = None, download: Download = pip_download
) -> Release:
    """The release's files, from the cache (``at``) or fetched into it; its Linux libraries too if wanted.

    A download that was interrupted leaves nothing that could pass for a release. Raises :class:`BookError`.
    """
    if not _VERSION.fullmatch(version):
        raise BookError("release-version", f"{version!r} is no version", "three numbers, such as 2.15.0")
    folder = (at or cache()) / version
    texts = _unpacked(folder / "texts", version, TEXTS, _is_text, download)
    wheel = Wheel(texts)
    commit = _commit(wheel, version)
    if not libraries:
        return Release(version, commit, wheel)
    unpacked = _unpacked(folder / "libraries", version, LIBRARIES, _is_library, download)
    if (own := _commit(Wheel(unpacked), version)) != commit:
        raise BookError("release-commit", f"libraries of {version} at {own}", f"the texts' commit, {commit}")
    return Release(version, commit, wheel, unpacked / "torch" / "lib")


def _unpacked(
    folder: Path,
    version: str,
    platforms: tuple[str, ...],
    wanted: Callable[[PurePosixPath], bool],
    download: Download,
) -> Path:
    """The folder with the wanted files of a wheel; it appears whole or not at all."""
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    for left in folder.parent.glob(f".{folder.name}-*"):  # of a run that was killed
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=f".{folder.name}-", dir=folder.parent) as name:
        part = Path(name)
        file = download(version, platforms, part)
        try:
            with zipfile.ZipFile(file) as archive:
                members = [entry for entry in archive.namelist() if wanted(PurePosixPath(entry))]
                archive.extractall(part / "files", members)
        except (zipfile.BadZipFile, OSError) as error:
            raise BookError("release-wheel", f"{file.name} cannot be unpacked: {error}", "a wheel") from None
        if not members:
            raise BookError("release-wheel", f"{file.name} has none of the files looked for", "a torch wheel")
        (part / "files").rename(folder)
    return folder


def _is_text(path: PurePosixPath) -> bool:
    packaged = path.parts[:2] == ("torchgen", "packaged")  # the generator's templates end in .cpp
    return path.parts[0] in _TOPS and (path.suffix in _KEPT or packaged) and ".." not in path.parts


def _is_library(path: PurePosixPath) -> bool:
    return path.parts == ("torch", "version.py") or (
        path.parts[:2] == ("torch", "lib") and path.name in witness.LIBRARIES
    )


def _commit(wheel: Wheel, version: str) -> str:
    found, commit = wheel.version()
    if found.partition("+")[0] != version:
        raise BookError("release-version", f"a wheel of torch {found}", f"torch {version}", file=wheel.site)
    return commit
