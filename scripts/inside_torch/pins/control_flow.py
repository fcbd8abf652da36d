"""The control flow of one compiled function: what it calls, and which of two calls comes first on every way.

A compiler may put code anywhere, so addresses say nothing of the order. The ways through the code do: jumps,
jump tables, and the landing pads to which an exception leads.
"""

from __future__ import annotations

import re
import struct
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import capstone

from inside_torch.pins.elf import Library, demangle
from inside_torch.pins.names import bare, shorten

#: Calls that do not come back.
_NO_RETURN = re.compile(
    r"torchCheckFail|torchInternalAssertFail|_Unwind_Resume|__cxa_(?:re)?throw|__cxa_bad|St\d+__throw_"
    r"|^abort|^exit$|_ZSt9terminatev|__stack_chk_fail|__assert_fail|_clang_call_terminate"
)
_CHECK = re.compile(r"c106detail14torchCheckFail|c106detail23torchInternalAssertFail")
_RELATIVE = re.compile(r"(\w+), (?:qword ptr )?\[rip ([+-]) (0x[0-9a-f]+|\d+)\]")
_LINE = re.compile(r"edx, (0x[0-9a-f]+|\d+)")
_SLOT = re.compile(r"(?:(\w+), )?qword ptr \[(r(?!ip)\w+)(?: \+ (0x[0-9a-f]+|\d+))?\]")
_PATH = re.compile(r"/pytorch/(?:pytorch/)?([\w./+-]+)$")
#: What stands for the function's return.
_END = -1
_PLACED = re.compile(r"\.cold(?:\.\d+)?$")


@dataclass(frozen=True)
class Site:
    """One place in a function's code.

    ``kind`` is ``call`` (``name``: the callee, namespaces and classes with it, no parameters), ``slot`` (a
    call through a table of pointers, ``number`` its byte offset there), ``check`` (an assertion of file
    ``name``, its line ``number``, its function ``function``) or ``address`` (a function's address is taken).
    """

    kind: str
    name: str = ""
    number: int = 0
    function: str = ""


class Flow:
    """The code of the function at ``start`` with its cold part, as blocks and the ways between them."""

    def __init__(self, library: Library, parts: Iterable[tuple[int, int]]) -> None:
        """``parts``: address and size of each piece of the code; the first is where it is entered."""
        self.library = library
        self.parts = list(parts)
        machine = capstone.Cs(capstone.CS_ARCH_X86, capstone.CS_MODE_64)
        self._code: dict[int, tuple[int, str, str]] = {}
        for start, size in self.parts:
            for address, length, name, text in machine.disasm_lite(library.at(".text", start, size), start):
                self._code[address] = (length, name.removeprefix("notrack ").removeprefix("bnd "), text)
        self._order = sorted(self._code)
        self._index = {address: index for index, address in enumerate(self._order)}
        self._reached: dict[int, frozenset[int]] = {}
        self._blocks()

    def _inside(self, address: int) -> bool:
        return address in self._code

    def _blocks(self) -> None:
        """Finds the blocks, by the address of their first instruction, and where each leads."""
        pads = dict(self._landing_pads())
        leads: dict[int, list[int]] = {}
        leaders = {self.parts[0][0]}
        for address in self._order:
            length, name, text = self._code[address]
            after = address + length
            ways: list[int] | None = None
            if name == "ret" or name in ("ud2", "hlt"):
                ways = []
            elif name.startswith("j"):
                target = int(text, 16) if text.startswith("0x") else None
                ways = [] if name == "jmp" else [after]
                ways += [target] if target is not None else self._table(address)
            elif name == "call":
                callee = self._callee(address)
                stops = callee is not None and _NO_RETURN.search(callee)
                ways = [] if stops else [after]
                ways += [pads[address]] if address in pads else []
                if ways == [after]:
                    ways = None
            if ways is not None:
                leads[address] = [way for way in ways if self._inside(way)]
                leaders.update(leads[address])
                leaders.add(after)
        self.blocks: dict[int, list[int]] = {}
        self.ways: dict[int, list[int]] = {}
        current: int | None = None
        for index, address in enumerate(self._order):
            if current is None or address in leaders:
                if current is not None:
                    self.ways.setdefault(current, [address] if self._follows(index) else [])
                current = address
                self.blocks[current] = []
            self.blocks[current].append(address)
            if address in leads:
                self.ways[current] = leads[address]
                current = None
        if current is not None:
            self.ways.setdefault(current, [])

    def _follows(self, index: int) -> bool:
        """Whether the instruction at an index begins where the one before it ends."""
        before = self._order[index - 1]
        return before + self._code[before][0] == self._order[index]

    def _callee(self, address: int) -> str | None:
        """Mangled name of what the call or jump at an address leads to; None where that is not written."""
        text = self._code[address][2]
        if not text.startswith("0x"):
            match = re.fullmatch(r"qword ptr \[rip ([+-]) (0x[0-9a-f]+|\d+)\]", text)
            if not match:
                return None
            length = self._code[address][0]
            slot = address + length + int(match[2], 0) * (1 if match[1] == "+" else -1)
            return self.library.slot_name(slot)
        target = int(text, 16)
        name = self.library.imported(target)
        if name is None:
            function = self.library.function(target)
            name = function[2] if function and function[0] == target else None
        return name

    def _table(self, address: int) -> list[int]:
        """Where a jump through a table of offsets may lead: the entries as long as they lie in the code."""
        index = self._index[address]
        for before in reversed(self._order[max(index - 14, 0) : index]):
            length, name, text = self._code[before]
            match = _RELATIVE.fullmatch(text) if name == "lea" else None
            if not match:
                continue
            table = before + length + int(match[3], 0) * (1 if match[2] == "+" else -1)
            if not self.library.holds(".rodata", table):
                continue
            found = []
            raw = self.library.at(".rodata", table, 4 * 512)
            for (offset,) in struct.iter_unpack("<i", raw[: len(raw) // 4 * 4]):
                if not self._inside(table + offset):
                    break
                found.append(table + offset)
            return sorted(set(found))
        return []

    def _landing_pads(self) -> Iterator[tuple[int, int]]:
        """Address of each call that an exception may leave, and where it then goes on."""
        calls = [address for address in self._order if self._code[address][1] == "call"]
        for start, size in self.parts:
            for first, last, pad in self.library.call_sites(start):
                for address in calls:
                    after = address + self._code[address][0]
                    if start <= address < start + size and first < after <= last:
                        yield address, pad

    @cached_property
    def sites(self) -> dict[int, Site]:
        """Every site, by the address of its instruction.

        That of an assertion is the branch that leads to its report; there may be several.
        """
        found: dict[int, Site] = {}
        before: dict[int, list[int]] = defaultdict(list)
        for block, ways in self.ways.items():
            for way in ways:
                before[way].append(block)
        for block, addresses in self.blocks.items():
            for address in addresses:
                _, name, text = self._code[address]
                if name == "lea" and (taken := self._taken(address)):
                    found[address] = Site("address", taken)
                if name not in ("call", "jmp"):
                    continue
                callee = self._callee(address)
                if name == "jmp" and (callee is None or self._inside_text(text)):
                    continue
                if callee and _CHECK.search(callee):
                    check = self._check(block, address)
                    if check is not None:
                        found.update(dict.fromkeys(self._branches(block, before) or [address], check))
                elif callee:
                    found[address] = Site("call", plain_name(callee))
                else:
                    offset = self._slot(block, address)
                    if offset is not None:
                        found[address] = Site("slot", number=offset)
        return found

    def _inside_text(self, text: str) -> bool:
        return text.startswith("0x") and self._inside(int(text, 16))

    def _taken(self, address: int) -> str | None:
        """The function whose address an instruction takes."""
        length, _, text = self._code[address]
        match = _RELATIVE.fullmatch(text)
        if not match:
            return None
        target = address + length + int(match[3], 0) * (1 if match[2] == "+" else -1)
        if not self.library.holds(".text", target):
            return None
        function = self.library.function(target)
        return plain_name(function[2]) if function and function[0] == target else None

    def _check(self, block: int, call: int) -> Site | None:
        """The assertion that a report at ``call`` is of: its file, line and function are loaded before it."""
        line, loaded, copied = 0, {}, ""
        addresses = self.blocks[block]
        for address in addresses[: addresses.index(call)]:
            _, name, text = self._code[address]
            if name == "mov" and (match := _LINE.fullmatch(text)):
                line = int(match[1], 0)
            elif name == "mov" and text.startswith("rsi, r"):
                copied = text.removeprefix("rsi, ")
            elif load := self._load(address):
                loaded[load[0]] = load[1]
        path = _PATH.search(loaded.get("rsi", ""))
        # The file's name may have been put into a register long before.
        kept = self._paths.get(copied, set())
        file = path[1] if path else next(iter(kept)) if len(kept) == 1 else ""
        return Site("check", file, line, loaded.get("rdi", "")) if line and file else None

    def _load(self, address: int) -> tuple[str, str] | None:
        """Register and string where an instruction loads a string's address."""
        length, name, text = self._code[address]
        match = _RELATIVE.fullmatch(text) if name in ("lea", "mov") else None
        if not match:
            return None
        target = address + length + int(match[3], 0) * (1 if match[2] == "+" else -1)
        pointee = target if name == "lea" else self.library.pointer(target)
        string = self.library.string(pointee) if pointee is not None else None
        return (match[1], string) if string else None

    @cached_property
    def _paths(self) -> dict[str, set[str]]:
        """Register to the source files whose names are loaded into it somewhere."""
        found: dict[str, set[str]] = defaultdict(set)
        for address in self._order:
            load = self._load(address)
            if load and (path := _PATH.search(load[1])):
                found[load[0]].add(path[1])
        return found

    def _branches(self, block: int, before: dict[int, list[int]]) -> list[int]:
        """The branches to a block that only fails: where the ways part from those that can still return."""
        found, seen, waiting = set(), {block}, [block]
        while waiting:
            for other in before[waiting.pop()]:
                if other in self._behind.rank:
                    found.add(self.blocks[other][-1])
                elif other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return sorted(found)

    def _slot(self, block: int, address: int) -> int | None:
        """The offset in a table of pointers of what is called at an address; None where it is none."""
        _, _, text = self._code[address]
        if match := _SLOT.fullmatch(text):
            return int(match[3] or "0", 0)
        for earlier in reversed(self._order[max(self._index[address] - 24, 0) : self._index[address]]):
            _, name, loads = self._code[earlier]
            match = _SLOT.fullmatch(loads) if name == "mov" else None
            if match and match[1] == text:
                return int(match[3] or "0", 0)
        return None

    @cached_property
    def _ahead(self) -> Dominators:
        """Which blocks every way from the entry to a block passes."""
        return Dominators(self.ways, self.parts[0][0])

    @cached_property
    def _behind(self) -> Dominators:
        """Which blocks every way from a block to the function's return passes; failures are no such ways."""
        back: dict[int, list[int]] = defaultdict(list)
        for block, ways in self.ways.items():
            for way in ways:
                back[way].append(block)
            if not ways and self._returns(block):
                back[_END].append(block)
        return Dominators(back, _END)

    def _returns(self, block: int) -> bool:
        _, name, _ = self._code[self.blocks[block][-1]]
        return name == "ret" or name == "jmp"

    @cached_property
    def _holder(self) -> dict[int, int]:
        return {address: block for block, addresses in self.blocks.items() for address in addresses}

    def _after(self, block: int) -> frozenset[int]:
        """The blocks that lie on a way from a block."""
        if block not in self._reached:
            seen: set[int] = set()
            waiting = list(self.ways[block])
            while waiting:
                one = waiting.pop()
                if one not in seen:
                    seen.add(one)
                    waiting += self.ways[one]
            self._reached[block] = frozenset(seen)
        return self._reached[block]

    def precedes(self, one: int, other: int) -> bool:
        """Whether the instruction at one address comes before that at another.

        Outside of a loop that holds both: a way leads from the one to the other. In such a loop every pass
        comes to the first before the second: every way to the second leads through the first, or through a
        place behind the first that it cannot have passed.
        """
        first, second = self._holder[one], self._holder[other]
        if first not in self._ahead.rank or second not in self._ahead.rank:
            return False
        if first == second:
            return one < other
        if second not in self._after(first) or first not in self._after(second):
            return second in self._after(first)
        if self._ahead.dominates(first, second):
            return True
        return any(
            self._ahead.dominates(place, second) and not self._ahead.dominates(place, first)
            for place in self._behind.above(first)
            if place in self._ahead.rank
        )

    def place(self, address: int) -> tuple[int, int]:
        """Where an instruction comes in an order of the code that every way follows, loops passed once."""
        return self._ahead.rank.get(self._holder[address], len(self.blocks)), address


class Dominators:
    """Of each block that can be reached from ``entry``: the blocks that every way to it passes."""

    def __init__(self, ways: Mapping[int, Sequence[int]], entry: int) -> None:
        order: list[int] = []
        seen = {entry}
        stack = [(entry, iter(ways.get(entry, ())))]
        while stack:
            block, ahead = stack[-1]
            way = next((each for each in ahead if each not in seen), None)
            if way is None:
                order.append(block)
                stack.pop()
            else:
                seen.add(way)
                stack.append((way, iter(ways.get(way, ()))))
        order.reverse()
        #: The blocks in reverse postorder, and the place of each there.
        self.rank = {block: index for index, block in enumerate(order)}
        before: dict[int, list[int]] = defaultdict(list)
        for block in order:
            for way in ways.get(block, ()):
                before[way].append(block)
        self._nearest = {entry: entry}
        changed = True
        while changed:
            changed = False
            for block in order[1:]:
                known = [other for other in before[block] if other in self._nearest]
                one = known[0]
                for other in known[1:]:
                    one = self._meet(one, other)
                if self._nearest.get(block) != one:
                    self._nearest[block] = one
                    changed = True

    def _meet(self, one: int, other: int) -> int:
        while one != other:
            while self.rank[one] > self.rank[other]:
                one = self._nearest[one]
            while self.rank[other] > self.rank[one]:
                other = self._nearest[other]
        return one

    def dominates(self, one: int, other: int) -> bool:
        """Whether every way to ``other`` passes ``one``."""
        while self.rank[other] > self.rank[one]:
            other = self._nearest[other]
        return one == other

    def above(self, block: int) -> Iterator[int]:
        """The blocks that every way to a block passes, the nearest first, itself left out."""
        while block in self._nearest and self._nearest[block] != block:
            block = self._nearest[block]
            yield block


@lru_cache(maxsize=65536)
def plain_name(mangled: str) -> str:
    """``torch::autograd::Engine::execute`` of a mangled name."""
    name = bare(shorten(demangle(_PLACED.sub("", mangled))))
    return re.sub(r" \[.*\]$", "", name)
