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
_OBJECT, _FUNCTION = 1, 2  # STT_OBJECT, STT_FUNC
_ABSOLUTE, _GLOBAL, _RELATIVE = 1, 6, 8  # R_X86_64_64, R_X86_64_GLOB_DAT, R_X86_64_RELATIVE
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

    def _names_holding(self, tokens: Iterable[bytes]) -> dict[int, bytes]:
        """Offset and text of the names in ``.strtab`` that hold one of ``tokens``."""
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
        return names

    def symbols_holding(self, tokens: Iterable[bytes]) -> dict[str, bool]:
        """Mangled names of the defined symbols that hold one of ``tokens``; whether each is a function's."""
        names = self._names_holding(tokens)
        table = np.frombuffer(self.read(".symtab"), dtype=_SYMBOL)
        table = table[(table["section"] != 0) & np.isin(table["name"], np.fromiter(names, dtype=np.uint32))]
        found: dict[str, bool] = {}
        for offset, info in zip(table["name"].tolist(), table["info"].tolist(), strict=True):
            name = names[offset].decode()
            found[name] = found.get(name, False) or info & 15 == _FUNCTION
        return found

    def functions_holding(self, tokens: Iterable[bytes]) -> list[tuple[int, int, str]]:
        """Address, size and mangled name of the functions whose names hold one of ``tokens``."""
        names = self._names_holding(tokens)
        addresses, sizes, offsets = self.functions
        mask = np.isin(offsets, np.fromiter(names, dtype=np.uint32))
        columns = (addresses[mask].tolist(), sizes[mask].tolist(), offsets[mask].tolist())
        return [(start, size, names[offset].decode()) for start, size, offset in zip(*columns, strict=True)]

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
                return self._dynamic_name(index)
        return None

    @cached_property
    def _named_slots(self) -> dict[int, int]:
        """Slot to the index of the imported symbol whose address it holds."""
        table = np.frombuffer(self.read(".rela.dyn"), dtype=_RELOCATION)
        table = table[np.isin(table["info"] & 0xFFFFFFFF, (_GLOBAL, _ABSOLUTE))]
        return dict(zip(table["offset"].tolist(), (table["info"] >> 32).tolist(), strict=True))

    def slot_name(self, slot: int) -> str | None:
        """Mangled name of the symbol whose address the loader puts into a slot."""
        index = self._imports.get(slot, self._named_slots.get(slot))
        return self._dynamic_name(index) if index is not None else None

    def _dynamic_name(self, index: int) -> str:
        entry = self.at(".dynsym", self.sections[".dynsym"][0] + 24 * index, 24)
        name = struct.unpack_from("<I", entry)[0]
        return self.at(".dynstr", self.sections[".dynstr"][0] + name, 4000).split(b"\0", 1)[0].decode()

    def pointers(self, start: int, size: int) -> dict[int, str]:
        """Slots from ``start`` on that hold a function's address, such as those of a vtable; mangled name."""
        table = self._relocations
        table = table[(table["offset"] >= start) & (table["offset"] < start + size)]
        found = {}
        for offset, info, addend in zip(
            *(table[name].tolist() for name in ("offset", "info", "addend")), strict=True
        ):
            if info & 0xFFFFFFFF == _RELATIVE:
                function = self.function(addend)
                if function and function[0] == addend:
                    found[offset] = function[2]
            elif info & 0xFFFFFFFF == _ABSOLUTE:
                found[offset] = self._dynamic_name(info >> 32)
        return found

    @cached_property
    def _relocations(self) -> NDArray[np.void]:
        return np.frombuffer(self.read(".rela.dyn"), dtype=_RELOCATION)

    def vtables(self, tokens: Iterable[bytes]) -> dict[str, tuple[int, int]]:
        """Mangled name, address and size of the tables of virtual functions whose names hold one of
        ``tokens``: ``6EngineE``.
        """
        table = np.frombuffer(self.read(".symtab"), dtype=_SYMBOL)
        table = table[((table["info"] & 15) == _OBJECT) & (table["section"] != 0)]
        found = {}
        names = {o: n for o, n in self._names_holding(tokens).items() if n.startswith(b"_ZTVN")}
        for row in table[np.isin(table["name"], np.fromiter(names, dtype=np.uint32))]:
            found[names[int(row["name"])].decode()] = int(row["value"]), int(row["size"])
        return found

    def call_sites(self, start: int) -> list[tuple[int, int, int]]:
        """Of the function, or part of one, at ``start``: first and last address of each stretch of calls that
        an exception may leave, and where it then goes on.
        """
        table = self._exception_table(start)
        return list(_call_sites(self, start, table)) if table else []

    @cached_property
    def _frames(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Addresses of functions, ascending, and of their entries in ``.eh_frame``."""
        base, _, _ = self.sections.get(".eh_frame_hdr", (0, 0, 0))
        raw = self.read(".eh_frame_hdr")
        if raw[:4] != b"\x01\x1b\x03\x3b":  # the form that every linker writes
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        table = np.frombuffer(raw[12 : 12 + 8 * struct.unpack_from("<I", raw, 8)[0]], "<i4").astype(np.int64)
        return table[0::2] + base, table[1::2] + base

    def _exception_table(self, start: int) -> int | None:
        """The address in ``.gcc_except_table`` of the function that begins at ``start``."""
        starts, entries = self._frames
        index = int(np.searchsorted(starts, start))
        if index == len(starts) or int(starts[index]) != start:
            return None
        entry = int(entries[index])
        raw = self.at(".eh_frame", entry, 64)
        common = entry + 4 - struct.unpack_from("<I", raw, 4)[0]
        if _table_encoding(self.at(".eh_frame", common, 64)) != 0x1B:
            return None
        size, data = _uleb(raw, 16)
        (offset,) = struct.unpack_from("<i", raw, data)
        return entry + data + offset if size >= 4 and offset else None

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


def _uleb(raw: bytes, place: int) -> tuple[int, int]:
    """A number in as many bytes as it needs, and the place after it."""
    value = shift = 0
    while True:
        byte = raw[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place


def _table_encoding(raw: bytes) -> int | None:
    """How the functions of a common entry of ``.eh_frame`` name their exception tables; None where they have
    none.
    """
    end = raw.index(b"\0", 9)
    letters = raw[9:end].decode()
    if not letters.startswith("z") or "L" not in letters:
        return None
    place = end + 1
    for _ in range(4):  # alignments, return register, length
        _, place = _uleb(raw, place)
    for letter in letters[1:]:
        if letter == "L":
            return raw[place]
        place += 5 if letter == "P" else 1
    return None


def _call_sites(library: Library, start: int, table: int) -> Iterator[tuple[int, int, int]]:
    """The stretches of one exception table that have a landing pad."""
    raw = library.at(".gcc_except_table", table, 1 << 16)
    if not raw:
        return
    pads, place = start, 1
    if raw[0] != 0xFF:
        if raw[0] & 0x7F != 0x1B:
            return
        pads, place = table + 1 + struct.unpack_from("<i", raw, 1)[0], 5
    if raw[place] != 0xFF:
        _, place = _uleb(raw, place + 1)
    else:
        place += 1
    if raw[place] != 0x01:
        return
    size, place = _uleb(raw, place + 1)
    end = place + size
    while place < end:
        first, place = _uleb(raw, place)
        length, place = _uleb(raw, place)
        pad, place = _uleb(raw, place)
        _, place = _uleb(raw, place)
        if pad:
            yield start + first, start + first + length, pads + pad


def demangle(name: str) -> str:
    """The C++ name of a mangled one, by the C++ runtime that torch itself needs; ``name`` where that is not
    found.
    """
    if _runtime is None or _libc is None or not name.startswith("_Z"):
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
