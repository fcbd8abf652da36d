"""Reads machine code: the few instructions that hand an assertion's place to the function that reports its
failure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

import capstone

from inside_torch.pins.address import collapse
from inside_torch.pins.elf import Library, demangle
from inside_torch.pins.names import NAMED, shorten

#: Address, size, mnemonic and operands.
Instruction = tuple[int, int, str, str]
Block = list[Instruction]
#: Line, function, text and symbol of one place in the code that reports a failure.
Site = tuple[int, str, str, str]
#: Address, size and mangled name.
Function = tuple[int, int, str]


_CHECK = re.compile(r"c106detail14torchCheckFail|c106detail23torchInternalAssertFail")
_REGISTRATION = re.compile(r"5torch6detail16TorchLibraryInitC[12]")
_BLOCK = re.compile(r"(TORCH_LIBRARY(?:_IMPL|_FRAGMENT)?)_init_(\w+)")
_STRING_LOAD = re.compile(r"(\w+), (?:qword ptr )?\[rip ([+-]) (0x[0-9a-f]+|\d+)\]")
_ENDS = ("jmp", "ret", "ud2")
_ASSERTED = re.compile(
    rb'([^\0]*?) ?INTERNAL ASSERT FAILED at "'
    + rb'(?:/__w/pytorch)?/pytorch/([\w./+-]+)":(\d+), please report a bug'
)
_BOILERPLATE = re.compile(
    r"""\s?INTERNAL\ ASSERT\ FAILED\ at\ "[^"]*":\d+,\ please\ report\ a\ bug\ to\ PyTorch\.\ ?
    |^Expected\ (?=.*\ to\ be\ true,\ but\ got\ false)
    |\ to\ be\ true,\ but\ got\ false\.\ *\(Could\ this\ error\ message.*$""",
    re.VERBOSE | re.DOTALL,
)


def search(file: Path, paths: Iterable[str]) -> dict[str, list[Site]]:
    """(line, function, text, within) of every assertion of ``paths`` that one library remembers."""
    library = Library(file)
    try:
        found: dict[str, list[Site]] = {path: [] for path in paths}
        names = _names(library, found)
        loads = dict(names)
        slots, pointees = library.relocated
        for slot, pointee in zip(slots.tolist(), pointees.tolist(), strict=True):
            if pointee in names:
                loads[slot] = names[pointee]
        decoder = _Decoder(library, loads)
        for place, target in library.references(list(loads)):
            site = decoder.site(place)
            if site is not None:
                found[loads[target]].append(site)
        for path, line, condition in _asserted(library):
            if path in found:
                found[path].append((line, "", condition, ""))
        return {path: sorted(set(sites)) for path, sites in found.items()}
    finally:
        library.close()


def _names(library: Library, paths: Iterable[str]) -> dict[int, str]:
    """Address of each string that names one of the files, to its path."""
    wanted = set(paths)
    found = {}
    for address, piece in library.pieces(".rodata", 400):
        for match in NAMED.finditer(piece):
            path = match[1].decode()
            if path in wanted:
                start = match.start()
                found[address + start - (4 if piece[max(start - 4, 0) : start] == b"/__w" else 0)] = path
    return found


def _asserted(library: Library) -> Iterable[tuple[str, int, str]]:
    """Path, line and condition of every internal assert's string."""
    for _, piece in library.pieces(".rodata", 4000):
        start = 0
        while (at := piece.find(b"INTERNAL ASSERT FAILED at ", start)) >= 0:
            begin = piece.rfind(b"\0", 0, at) + 1
            match = _ASSERTED.match(piece, begin)
            start = at + 1
            if match:
                yield match[2].decode(), int(match[3]), collapse(match[1].decode("utf-8", "replace"))


class _Decoder:
    """Reads the instructions around a reference to a file's name."""

    BACK, FORWARD = 160, 96

    def __init__(self, library: Library, names: dict[int, str]) -> None:
        self.library = library
        self.names = names
        self.machine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._called: dict[int, str] = {}
        self._within: dict[int, str] = {}

    def site(self, place: int) -> Site | None:
        """(line, function, text, within) of the assertion whose file name is loaded with the displacement at
        ``place``.
        """
        holder = self.library.function(place)
        code = self._window(place, holder)
        here = next(
            (n for n, (address, size, _, _) in enumerate(code) if address < place < address + size), None
        )
        if here is None:
            return None
        end = here
        while end < len(code) - 1 and code[end][2] not in ("call", *_ENDS):
            end += 1
        callee = self._callee(code[end])
        begin = here
        while begin > 0 and code[begin - 1][2] not in ("call", *_ENDS):
            begin -= 1
        block = code[begin : end + 1]
        within = self._symbol(holder) if holder else ""
        if _CHECK.search(callee):
            line = self._constant(block, r"edx, (0x[0-9a-f]+|\d+)")
            function = self._loaded(block).get("rdi", "")
            text = self._loaded(block).get("rcx", "") or self._message(code, begin, function)
            return (line, function, collapse(_BOILERPLATE.sub(" ", text)), within) if line else None
        if _REGISTRATION.search(callee):
            line = self._constant(block, r"dword ptr \[rsp\], (0x[0-9a-f]+|\d+)")
            if line is None:
                line = next(
                    (
                        int(text, 0)
                        for _, _, name, text in reversed(block)
                        if name == "push" and text[:1].isdigit()
                    ),
                    None,
                )
            return (line, self._block(block), "", within) if line else None
        return None

    def _window(self, place: int, holder: Function | None) -> list[Instruction]:
        """The instructions around ``place``; a start that does not meet the instruction at ``place`` is moved
        on.
        """
        low = holder[0] if holder else place - self.BACK
        high = (
            min(place + 4 + self.FORWARD, max(holder[0] + holder[1], place + 40))
            if holder
            else place + self.FORWARD
        )
        for back in range(self.BACK, 8, -1):
            start = max(place - back, low)
            code = list(self.machine.disasm_lite(self.library.at(".text", start, high - start), start))
            if any(
                address < place < address + size and address + size - place in (4, 5, 8)
                for address, size, _, _ in code
            ):
                return code
            if start == low:
                break
        return []

    def _callee(self, instruction: Instruction) -> str:
        _, _, name, text = instruction
        if name not in ("call", "jmp") or not text.startswith("0x"):
            return ""
        address = int(text, 16)
        if address not in self._called:
            symbol = self.library.imported(address)
            if symbol is None:
                function = self.library.function(address)
                symbol = function[2] if function and function[0] == address else ""
            self._called[address] = symbol
        return self._called[address]

    def _constant(self, block: Block, form: str) -> int | None:
        """The number that the last move of this form puts there."""
        for _, _, name, text in reversed(block):
            match = re.fullmatch(form, text) if name == "mov" else None
            if match:
                return int(match[1], 0)
        return None

    def _target(self, instruction: Instruction) -> tuple[str, int] | None:
        """Register and address of a load relative to the instruction pointer."""
        address, size, name, text = instruction
        match = _STRING_LOAD.fullmatch(text) if name in ("lea", "mov") else None
        if not match:
            return None
        target = address + size + int(match[3], 0) * (1 if match[2] == "+" else -1)
        return match[1], target

    def _loaded(self, block: Block) -> dict[str, str]:
        """Register to the string whose address was loaded into it."""
        found = {}
        for instruction in block:
            load = self._target(instruction)
            if load is None or load[1] in self.names:
                continue
            pointee = load[1] if instruction[2] == "lea" else self.library.pointer(load[1])
            text = self.library.string(pointee) if pointee is not None else None
            if text:
                found[load[0]] = text
        return found

    def _message(self, code: Block, end: int, function: str) -> str:
        """The longest string loaded between the last jump or report and the call: part of a message put
        together there.
        """
        begin = end
        while (
            begin > 0 and code[begin - 1][2] not in _ENDS and not _CHECK.search(self._callee(code[begin - 1]))
        ):
            begin -= 1
        texts = [
            text
            for text in self._loaded(code[begin:end]).values()
            if text != function and " " in text.strip()
        ]
        return max(texts, key=len, default="")

    def _block(self, block: Block) -> str:
        """``TORCH_LIBRARY_IMPL(_, AutogradCPU, m)``, from the name of the function that the macro defines."""
        for instruction in block:
            load = self._target(instruction)
            function = self.library.function(load[1]) if load and instruction[2] == "lea" else None
            match = _BLOCK.search(function[2]) if function and load and function[0] == load[1] else None
            if match:
                name = re.sub(r"_\d+(?:E?R?.*)?$", "", match[2].partition("ERN5torch")[0])
                if match[1] == "TORCH_LIBRARY_IMPL":
                    space, _, key = name.rpartition("_")
                    return f"{match[1]}({space}, {key}, m)"
                return f"{match[1]}({name}, m)"
        return ""

    def _symbol(self, holder: Function) -> str:
        if holder[0] not in self._within:
            self._within[holder[0]] = shorten(demangle(holder[2]))
        return self._within[holder[0]]
