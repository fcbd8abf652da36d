"""As much of an ELF x86-64 library as witnesses need, read in pieces: a library of 434 MB never enters memory
whole.
"""

from __future__ import annotations

import ctypes
import os
import re
import struct
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from inside_torch.errors import BookError

_SYMBOL = np.dtype(
    [("name", "<u4"), ("info", "u1"), ("other", "u1"), ("section", "<u2"), ("value", "<u8"), ("size", "<u8")]
)
_RELOCATION = np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<i8")])
_FUNCTION = 2  # STT_FUNC
_RELATIVE = 8  # R_X86_64_RELATIVE
_X86_64 = 62  # EM_X86_64
PIECE = 1 << 23


class Library:
    """Sections, function symbols and strings of one shared library; addresses are those of the file, not of a
    process.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = os.open(path, os.O_RDONLY)
        head = os.pread(self._file, 64, 0)
        if head[:4] != b"\x7fELF" or head[4] != 2 or struct.unpack_from("<H", head, 18)[0] != _X86_64:
            os.close(self._file)
            raise BookError(
                "witness-platform",
                f"{path.name} is no ELF library for x86-64",
                "a Linux wheel for x86-64, whose libraries can be searched",
            )
        (offset,) = struct.unpack_from("<Q", head, 40)
        count, names = struct.unpack_from("<HH", head, 60)
        table = os.pread(self._file, 64 * count, offset)
        headers = [struct.unpack_from("<IIQQQQIIQQ", table, 64 * index) for index in range(count)]
        strings = os.pread(self._file, headers[names][5], headers[names][4])
        #: name: (address, file offset, size)
        self.sections: dict[str, tuple[int, int, int]] = {}
        for header in headers:
            name = strings[header[0] : strings.index(b"\0", header[0])].decode()
            self.sections[name] = (header[3], header[4], header[5])

    def close(self) -> None:
        os.close(self._file)

    def read(self, name: str) -> bytes:
        """The bytes of a section, empty where there is none."""
        _, offset, size = self.sections.get(name, (0, 0, 0))
        return os.pread(self._file, size, offset)

    def pieces(self, name: str, overlap: int) -> Iterator[tuple[int, bytes]]:
        """A section in pieces of 8 MB and their addresses; each begins with the last ``overlap`` bytes before
        it.
        """
        address, offset, size = self.sections.get(name, (0, 0, 0))
        for start in range(0, size, PIECE):
            back = min(start, overlap)
            length = min(PIECE, size - start) + back
            yield address + start - back, os.pread(self._file, length, offset + start - back)

    def at(self, section: str, address: int, size: int) -> bytes:
        """``size`` bytes at an address of a section, fewer at its end."""
        start, offset, length = self.sections[section]
        if not start <= address < start + length:
            return b""
        return os.pread(self._file, min(size, start + length - address), offset + address - start)

    def holds(self, section: str, address: int) -> bool:
        start, _, size = self.sections.get(section, (0, 0, 0))
        return start <= address < start + size

    def string(self, address: int) -> str | None:
        """The C string at an address of ``.rodata``."""
        if not self.holds(".rodata", address):
            return None
        raw = self.at(".rodata", address, 2000).split(b"\0", 1)[0]
        try:
            return raw.decode("utf-8")
        except UnicodeDecodeError:
            return None

    @cached_property
    def functions(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64], NDArray[np.uint32]]:
        """Addresses (ascending), sizes and name offsets of the function symbols."""
        table = np.frombuffer(self.read(".symtab"), dtype=_SYMBOL)
        table = table[((table["info"] & 15) == _FUNCTION) & (table["section"] != 0) & (table["value"] != 0)]
        order = np.argsort(table["value"], kind="stable")
        return table["value"][order].copy(), table["size"][order].copy(), table["name"][order].copy()

    def function(self, address: int) -> tuple[int, int, str] | None:
        """Address, size and mangled name of the function that holds ``address``."""
        addresses, sizes, names = self.functions
        index = int(np.searchsorted(addresses, np.uint64(address), side="right")) - 1
        if index < 0:
            return None
        start, size = int(addresses[index]), int(sizes[index])
        if address >= start + max(size, 1):
            return None
        _, offset, _ = self.sections[".strtab"]
        raw = os.pread(self._file, 4000, offset + int(names[index])).split(b"\0", 1)[0]
        return start, size, raw.decode()

    def symbols_holding(self, tokens: Iterable[bytes]) -> dict[str, bool]:
        """Mangled names of the defined symbols that hold one of ``tokens``; whether each is a function's."""
        strings = self.read(".strtab")
        names: dict[int, bytes] = {}
        for token in tokens:
            place = strings.find(token)
            while place >= 0:
                start, end = strings.rfind(b"\0", 0, place) + 1, strings.find(b"\0", place)
                # The linker lets a name be the tail of a longer one, such as _GLOBAL__sub_I_<name>.
                for tail in re.finditer(rb"^|_Z", strings[start:end]):
                    names[start + tail.start()] = strings[start + tail.start() : end]
                place = strings.find(token, end)
        table = np.frombuffer(self.read(".symtab"), dtype=_SYMBOL)
        table = table[(table["section"] != 0) & np.isin(table["name"], np.fromiter(names, dtype=np.uint32))]
        found: dict[str, bool] = {}
        for offset, info in zip(table["name"].tolist(), table["info"].tolist(), strict=True):
            name = names[offset].decode()
            found[name] = found.get(name, False) or info & 15 == _FUNCTION
        return found

    @cached_property
    def relocated(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Slots that hold a pointer into ``.rodata``, ascending, and what they point to."""
        table = np.frombuffer(self.read(".rela.dyn"), dtype=_RELOCATION)
        start, _, size = self.sections[".rodata"]
        table = table[(table["info"] & 0xFFFFFFFF) == _RELATIVE]
        table = table[(table["addend"] >= start) & (table["addend"] < start + size)]
        order = np.argsort(table["offset"])
        return table["offset"][order].copy(), table["addend"][order].copy()

    def pointer(self, slot: int) -> int | None:
        """What the slot at an address points to in ``.rodata``."""
        slots, targets = self.relocated
        index = int(np.searchsorted(slots, np.uint64(slot)))
        return int(targets[index]) if index < len(slots) and int(slots[index]) == slot else None

    @cached_property
    def _imports(self) -> dict[int, int]:
        """Slot of the global offset table to the index of the imported symbol."""
        table = np.frombuffer(self.read(".rela.plt"), dtype=_RELOCATION)
        return dict(zip(table["offset"].tolist(), (table["info"] >> 32).tolist(), strict=True))

    def imported(self, address: int) -> str | None:
        """Mangled name of what the stub of the linkage table at ``address`` jumps to."""
        for section in (".plt", ".plt.sec", ".plt.got"):
            if section in self.sections and self.holds(section, address):
                code = self.at(section, address, 16)
                jump = code.find(b"\xff\x25")
                if jump < 0:
                    return None
                slot = address + jump + 6 + struct.unpack_from("<i", code, jump + 2)[0]
                index = self._imports.get(slot)
                if index is None:
                    return None
                entry = self.at(".dynsym", self.sections[".dynsym"][0] + 24 * index, 24)
                name = struct.unpack_from("<I", entry)[0]
                return (
                    self.at(".dynstr", self.sections[".dynstr"][0] + name, 4000).split(b"\0", 1)[0].decode()
                )
        return None

    def references(self, targets: list[int]) -> list[tuple[int, int]]:
        """Every instruction-relative reference from ``.text`` to one of ``targets``: address of its
        displacement, target.
        """
        wanted = np.array(sorted(targets), dtype=np.int64)
        found: list[tuple[int, int]] = []
        if not len(wanted):
            return found
        # In pieces of 1 MB, so that the arrays made from each stay in the processor's cache.
        step, overlap = 1 << 20, 8
        for address, piece in self.pieces(".text", overlap):
            for start in range(0, len(piece), step):
                code = np.frombuffer(piece[start : start + step + overlap], dtype=np.uint8)
                if len(code) < 6:
                    continue
                # A mod-r/m byte that means [rip + displacement]; 4 bytes of displacement follow.
                places = np.flatnonzero((code[:-5] & 0xC7) == 0x05)
                shown = np.lib.stride_tricks.sliding_window_view(code, 4)[places + 1]
                displacement = shown.copy().view("<i4").ravel().astype(np.int64)
                # The next instruction begins after the displacement, and after an immediate byte or four if
                # there is one.
                base = address + start + places + 5
                reached = base + displacement
                index = np.searchsorted(wanted, reached)
                index[index == len(wanted)] = 0
                hit = wanted[index] == reached
                found += zip((address + start + places[hit] + 1).tolist(), reached[hit].tolist(), strict=True)
        return sorted(set(found))


def demangle(name: str) -> str:
    """The C++ name of a mangled one, by the C++ runtime that torch itself needs; ``name`` where that is not
    found.
    """
    if _runtime is None or not name.startswith("_Z"):
        return name
    base, dot, clone = name.partition(".")
    status = ctypes.c_int()
    result = _runtime.__cxa_demangle(base.encode(), None, None, ctypes.byref(status))
    if not result:
        return name
    text = ctypes.string_at(result).decode()
    _libc.free(result)
    return f"{text} [{dot}{clone}]" if dot else text


def _load(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


_runtime = _load("libstdc++.so.6")
_libc = ctypes.CDLL(None) if os.name == "posix" else None
if _runtime is not None and _libc is not None:
    _runtime.__cxa_demangle.restype = ctypes.c_void_p
    _runtime.__cxa_demangle.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    _libc.free.argtypes = [ctypes.c_void_p]
