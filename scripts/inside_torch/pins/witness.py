"""Witnesses: the lines of ``.cpp`` files that the wheel's libraries remember without holding the files.

Every ``TORCH_CHECK`` and ``TORCH_INTERNAL_ASSERT`` leaves its file, line and function in the code that
reports its failure, every ``TORCH_LIBRARY_IMPL`` its file, line and block; internal asserts leave a string
besides. Held against the header text that the wheel does hold, each of these kinds named the right line every
time; other mentions of a file and a number did not, and are no witnesses. The line is the one on which the
macro begins.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from inside_torch.errors import BookError
from inside_torch.pins.names import NAMED, bare, last

if TYPE_CHECKING:
    from inside_torch.pins.machine_code import Site

LIBRARIES = ("libc10.so", "libtorch_python.so", "libtorch_cpu.so")
CUDA_LIBRARIES = ("libc10_cuda.so", "libtorch_cuda.so")
#: A part of PyTorch that only these hold.
_CUDA_ONLY = re.compile(r"(?:^|/)cuda(?:/|$)|\.cu$|NCCL|nccl|cudnn|UCC")


def cuda_only(path: str) -> bool:
    """Whether a file of the repository is compiled into CUDA builds only."""
    return bool(_CUDA_ONLY.search(path))


@dataclass(frozen=True, order=True)
class Witness:
    """Line ``line`` (1-based) of a file lies in ``function``, as the compiler's ``__func__`` says.

    ``text`` is the condition or message of the assertion, empty where it is put together at run time.
    ``within`` is the symbol whose code holds it, template arguments left out; inlining may make that another
    function than ``function``.
    """

    line: int
    function: str
    text: str
    within: str = ""


class Libraries:
    """The wheel's libraries as a source of witnesses. A search reads them once, in about a second."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._found: dict[str, tuple[Witness, ...]] = {}
        self._defined: dict[str, bool] = {}

    @property
    def present(self) -> list[Path]:
        """The libraries to search; raises :class:`BookError` on a platform whose libraries cannot be."""
        paths = [
            self.folder / name for name in (*LIBRARIES, *CUDA_LIBRARIES) if (self.folder / name).is_file()
        ]
        if not paths:
            raise BookError(
                "witness-platform",
                f"no {LIBRARIES[0]} in {self.folder}",
                "a Linux wheel for x86-64, whose libraries can be searched",
            )
        return paths

    @property
    def cuda(self) -> bool:
        """Whether the CUDA build's own libraries are here to search."""
        return (self.folder / CUDA_LIBRARIES[-1]).is_file()

    def lacks(self, path: str) -> bool:
        """Whether a file was compiled into the CUDA build's libraries and these are a CPU build's."""
        return cuda_only(path) and not self.cuda and not self.witnesses(path)

    def witnesses(self, path: str) -> tuple[Witness, ...]:
        """Those of one repository file, by line."""
        self.search([path])
        return self._found[path]

    def search(self, paths: Iterable[str]) -> None:
        """Searches for the witnesses of several files in one pass over each library."""
        wanted = sorted(set(paths) - set(self._found))
        if not wanted:
            return
        from inside_torch.pins.machine_code import search  # numpy and capstone, which nothing else needs

        sites: dict[str, list[Site]] = {path: [] for path in wanted}
        for library in self.present:
            for path, found in search(library, wanted).items():
                sites[path] += found
        for path in wanted:
            self._found[path] = _merge(sites[path])

    def defines(self, name: str) -> bool:
        """Whether a library has a function of this C++ name, leading namespaces left out."""
        from inside_torch.pins.elf import Library

        if name not in self._defined:
            parts = name.split("::")
            constructor = len(parts) > 1 and parts[-1] == parts[-2]
            mangled = b"".join(
                b"%d%s" % (len(part), part.encode()) for part in parts[: -1 if constructor else None]
            )
            mangled += b"C" * constructor
            # 12f is not 2f with a 1 before it, unless that ends the namespace c10. What comes before is asked
            # where the name was found, and the name sought by itself first: all else takes ten times as long.
            whole = re.compile(rb"%s(?:(?<!\d%s)|(?<=3c10%s))" % ((re.escape(mangled),) * 3))
            unmangled = b"\0%s\0" % name.encode()  # of C
            self._defined[name] = False
            for path in self.present:
                library = Library(path)
                self._defined[name] |= any(
                    unmangled in piece or (mangled in piece and whole.search(piece))
                    for _, piece in library.pieces(".strtab", 4000)
                )
                library.close()
        return self._defined[name]

    @cached_property
    def mentioned(self) -> frozenset[str]:
        """Every repository file that a library names."""
        from inside_torch.pins.elf import Library

        found: set[str] = set()
        for path in self.present:
            library = Library(path)
            for _, piece in library.pieces(".rodata", 400):
                found.update(match[1].decode() for match in NAMED.finditer(piece))
            library.close()
        return frozenset(found)


def _merge(sites: Iterable[Site]) -> tuple[Witness, ...]:
    """One witness a line: the function that most of its sites name, the longest text, the symbol that fits
    best.
    """
    lines: dict[int, list[tuple[str, str, str]]] = defaultdict(list)
    for line, *site in sites:
        lines[line].append((site[0], site[1], site[2]))
    found = []
    for line, several in sorted(lines.items()):
        functions = Counter(function for function, _, _ in several if function)
        function = min(functions, key=lambda name: (-functions[name], name)) if functions else ""
        texts = sorted({text for _, text, _ in several if text}, key=lambda text: (-len(text), text))
        symbols = sorted({within for _, _, within in several if within})
        own = [symbol for symbol in symbols if function and last(bare(symbol)) == function]
        lambdas = [symbol for symbol in symbols if function == "operator()" and "{lambda" in symbol]
        found.append(
            Witness(line, function, texts[0] if texts else "", next(iter(own or lambdas or symbols), ""))
        )
    return tuple(found)
