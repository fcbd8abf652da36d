"""The installed wheel: where it keeps a repository file, and the file's text at its repository lines.

The wheel is found and read as files; torch is never imported. The mapping was measured on the 2.13.0 wheels:
the packaging adds a first line to nearly every C++ header, so that a header's line in the repository is its
line in the wheel less one.
"""

from __future__ import annotations

import importlib.util
import re
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path, PurePosixPath

from inside_torch.errors import BookError
from inside_torch.pins.release import COMMIT, RELEASE

#: Line 1 of a header that the packaging wrapped; its end is an ``#else`` branch that refuses the other case.
WRAPPED = "#if !defined(TORCH_STABLE_ONLY)"

HEADERS = (".h", ".hpp", ".cuh")
COMPILED = (".cpp", ".cu", ".cc", ".c", ".mm")
#: Where the wheel keeps what the repository keeps elsewhere: repository folder, folder beside torch's.
_MOVED = (
    ("aten/src/ATen/native/", "torchgen/packaged/ATen/native/", (".yaml",)),
    ("aten/src/ATen/templates/", "torchgen/packaged/ATen/templates/", ()),
    ("tools/autograd/", "torchgen/packaged/autograd/", ()),
    ("aten/src/ATen/", "torch/include/ATen/", HEADERS),
    ("c10/", "torch/include/c10/", HEADERS),
    ("caffe2/", "torch/include/caffe2/", HEADERS),
    ("torch/", "torch/include/torch/", HEADERS),
    ("torch/", "torch/", ()),
    ("torchgen/", "torchgen/", ()),
    ("functorch/", "functorch/", ()),
)
# Written at build time (torchgen, CMake), so in no repository. Paths inside torch/include.
_GENERATED_HEADER = re.compile(
    r"""ATen/ops/.*
    | ATen/\w*Functions(?:_inl)?\.h
    | ATen/(?:Config|MethodOperators|Operators|RegistrationDeclarations|VmapGeneratedPlumbing)\.h
    | ATen/cuda/CUDAConfig\.h
    | ATen/core/(?:TensorBody|aten_interned_strings)\.h
    | torch/csrc/(?:autograd|lazy)/generated/.*
    | torch/headeronly/(?:version|core/enum_tag|macros/cmake_macros)\.h
    | c10/\w+/impl/\w+_cmake_macros\.h
    | caffe2/core/macros\.h""",
    re.VERBOSE,
)
_GENERATED_PYTHON = re.compile(r"torch/(?:version\.py|testing/_internal/generated/.*)")


@dataclass(frozen=True)
class SourceFile:
    """A file's text. ``lines[n - 1]`` is line n: of the repository, or of the wheel for a generated file."""

    path: str
    lines: tuple[str, ...]
    generated: bool = False
    evidence: str = "text"

    @cached_property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"

    @property
    def language(self) -> str:
        """``python``, ``yaml`` or ``cpp``."""
        suffix = PurePosixPath(self.path).suffix
        return {".py": "python", ".pyi": "python", ".yaml": "yaml"}.get(suffix, "cpp")


class Wheel:
    """The files of torch 2.13.0 under ``site``, the folder that holds ``torch`` and ``torchgen``."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self._files: dict[str, SourceFile | None] = {}

    @classmethod
    def find(cls) -> Wheel:
        """The wheel of this environment; raises :class:`BookError` unless it is the pinned release."""
        spec = importlib.util.find_spec("torch")
        if spec is None or spec.origin is None:
            raise BookError("torch-wheel", "torch is not installed", f"torch=={RELEASE} in this environment")
        wheel = cls(Path(spec.origin).parent.parent)
        wheel.check()
        return wheel

    def check(self) -> None:
        """Raises :class:`BookError` unless ``torch/version.py`` names the pinned release and commit."""
        version, commit = self.version()
        if version.partition("+")[0] != RELEASE or commit != COMMIT:
            raise BookError(
                "torch-wheel",
                f"torch {version} at {commit}",
                f"torch {RELEASE} at {COMMIT}",
                file=self.site / "torch" / "version.py",
            )

    def version(self) -> tuple[str, str]:
        """Version and commit, as ``torch/version.py`` has them; raises :class:`BookError` without one."""
        file = self.site / "torch" / "version.py"
        try:
            text = file.read_text(encoding="utf-8")
        except OSError:
            raise BookError(
                "torch-wheel",
                "a torch with no version.py",
                f"torch=={RELEASE}, installed from its wheel",
                file=file,
            ) from None
        found = [
            match[1] if (match := re.search(rf"^{name}\b[^=\n]*= *['\"]([^'\"]+)", text, re.M)) else "nothing"
            for name in ("__version__", "git_version")
        ]
        return found[0], found[1]

    @property
    def libraries(self) -> Path:
        return self.site / "torch" / "lib"

    def read(self, path: str) -> SourceFile | None:
        """The text of a repository file, None where the wheel does not hold it."""
        if path not in self._files:
            self._files[path] = self._read(path)
        return self._files[path]

    def _read(self, path: str) -> SourceFile | None:
        suffix = PurePosixPath(path).suffix
        inside = path.removeprefix("torch/include/")
        if inside != path:
            file = self.site / path
            if not file.is_file():
                return None
            repository = self.repository_path(path)
            if repository is None:
                raise BookError(
                    "pin-file", f"{path} belongs to a third party", "a file of PyTorch's own repository"
                )
            if repository != path:
                raise BookError(
                    "pin-file", f"{path} is a place in the wheel", "the repository's path", repository
                )
            return SourceFile(path, lines_of(file), generated=True)
        for folder, place, suffixes in _MOVED:
            if not path.startswith(folder) or (suffixes and suffix not in suffixes):
                continue
            here = place + path.removeprefix(folder)
            file = self.site / here
            if not file.is_file():
                continue
            if here.startswith("torch/include/"):
                if self.repository_path(here) != path:
                    raise BookError(
                        "pin-file",
                        f"{path} is generated at build time",
                        "the wheel's path, for it is in no repository",
                        here,
                    )
                lines = lines_of(file)
                return SourceFile(path, lines[1:] if lines and lines[0].startswith(WRAPPED) else lines)
            lines = lines_of(file)
            typed = suffix == ".pyi" and bool(lines) and "@generated by" in lines[0]
            return SourceFile(path, lines, generated=typed or bool(_GENERATED_PYTHON.fullmatch(path)))
        return None

    @staticmethod
    def repository_path(place: str) -> str | None:
        """The address path of a header at ``torch/include/…``: ``place`` itself where it is generated, else
        the repository's; None for a third party's.
        """
        inside = place.removeprefix("torch/include/")
        top = inside.partition("/")[0]
        if top not in ("ATen", "c10", "caffe2", "torch") or "/" not in inside:
            return None
        if _GENERATED_HEADER.fullmatch(inside):
            return place
        return f"aten/src/{inside}" if top == "ATen" else inside

    def paths(self) -> list[str]:
        """Every address path that the wheel has a text for: some 12,000, from a walk of its folders."""
        found: list[str] = []
        for top in ("torch", "torchgen", "functorch"):
            for file in (self.site / top).rglob("*"):
                if file.suffix not in (*HEADERS, ".py", ".pyi", ".yaml"):
                    continue
                place = file.relative_to(self.site).as_posix()
                for folder, moved, _ in _MOVED[:3]:
                    if place.startswith(moved):
                        place = folder + place.removeprefix(moved)
                found.append(
                    (self.repository_path(place) or "") if place.startswith("torch/include/") else place
                )
        return sorted(set(found) - {""})


def lines_of(file: Path) -> tuple[str, ...]:
    """The lines of a file that is UTF-8; raises :class:`BookError` where it is not."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BookError("pin-file", f"{file} cannot be read: {error}", "a text file") from None
    return tuple(text.removesuffix("\n").split("\n"))


def nearest_paths(path: str, known: list[str]) -> str:
    """The few of ``known`` most like ``path``: in its folder, of the same name, then by spelling."""
    wanted = PurePosixPath(path)
    paths = {other: PurePosixPath(other) for other in sorted(known, key=lambda other: -_shared(path, other))}
    folder = {own.name: other for other, own in paths.items() if own.parent == wanted.parent}
    found = [folder[name] for name in get_close_matches(wanted.name, folder, cutoff=0.8)]
    found += [other for other, own in paths.items() if own.name == wanted.name]
    found += [other for other, own in paths.items() if own.stem == wanted.stem]
    if not found:
        names = {own.name: other for other, own in reversed(paths.items())}
        found = [names[name] for name in get_close_matches(wanted.name, names)]
    return ", ".join(list(dict.fromkeys(found))[:3])


def _shared(path: str, other: str) -> int:
    """How many folders the two paths have in common."""
    return len(set(path.split("/")[:-1]) & set(other.split("/")[:-1]))
