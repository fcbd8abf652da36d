"""What this article says of the allocator, held against it on programs that are generated."""

import ctypes
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import torch
from hypothesis import strategies as st
from inside_torch.claims import cases, counted
from simulator import Allocator, Block, MiB, OutOfMemory, first_fit

sys.path.insert(0, str(Path(__file__).parent / "exercises" / "blocks-too-large-to-split"))
from solution import WithMaxSplit

#: What a letter asks for, in bytes. A digit frees one of the living tensors, `-` empties the cache.
REQUESTS = dict(
    a=1,
    b=512,
    c=513,
    d=100_000,
    e=400_000,
    f=MiB - 1,
    g=MiB,
    h=MiB + 1,
    i=2 * MiB,
    j=3 * MiB + 7,
    k=5 * MiB,
    l=7 * MiB,
    m=10 * MiB - 513,
    n=10 * MiB - 1,
    o=10 * MiB,
    p=10 * MiB + 1,
    q=15 * MiB,
    r=20 * MiB,
    s=31 * MiB,
    t=50 * MiB,
)
LIMIT = 100 * MiB
letters = st.text(alphabet=[*REQUESTS, *"0123456789" * 2, "-"], min_size=30, max_size=50)
programs = cases(letters, count=200)
fewer_programs = cases(letters, count=100)


def real_segments(names: dict[int, str]) -> list[list[tuple[int, str]]]:
    """The segments of the real allocator: the size of each block, and the tensor that it was given to."""
    for taken in 0, 0, True:  # the call below drops a reference to each that it does not own
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(taken))
    return sorted(
        [
            (block["size"], names[block["address"]] if block["state"] == "active_allocated" else "")
            for block in segment["blocks"]
        ]
        for segment in torch.cuda.memory_snapshot()
    )


def our_segments(ours: Allocator) -> list[list[tuple[int, str]]]:
    """The same of the model."""
    return sorted([(block.size, block.owner or "") for block in blocks] for blocks in ours.snapshot())


@dataclass
class Both:
    """The real allocator and the model, which are asked for the same."""

    ours: Allocator
    settings: str = "max_split_size_mb:99999"  # larger than any block

    def __post_init__(self) -> None:
        torch.cuda.init()
        torch._C._accelerator_setAllocatorSettings(self.settings)
        torch.cuda.empty_cache()
        assert torch.cuda.memory_reserved() == 0
        memory = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction(self.ours.limit / memory)
        self.names: dict[int, str] = {}
        self.live: list[tuple[torch.Tensor, Block]] = []
        self.before = torch.cuda.memory_stats()
        self.refused = 0

    def allocate(self, name: str, size: int) -> bool:
        """Whether both gave a block, or both refused."""
        try:
            tensor = torch.empty(size, dtype=torch.uint8, device="cuda")
        except torch.OutOfMemoryError:
            tensor = None
            self.refused += 1
        try:
            block = self.ours.malloc(size, name)
        except OutOfMemory:
            block = None
        if tensor is None or block is None:
            return tensor is block
        self.names[tensor.data_ptr()] = name
        self.live.append((tensor, block))
        return True

    def free(self, which: int) -> None:
        tensor, block = self.live.pop(which)
        del self.names[tensor.data_ptr()]
        self.ours.free(block)

    def empty_cache(self) -> None:
        torch.cuda.empty_cache()
        self.ours.empty_cache()

    def same(self) -> bool:
        """Whether each tensor lies in the same place among the same blocks."""
        return our_segments(self.ours) == real_segments(self.names)

    def counted_alike(self) -> bool:
        """Whether the counters agree."""
        stats = torch.cuda.memory_stats()
        counters = {
            "reserved_bytes.all.current": self.ours.reserved,
            "allocated_bytes.all.current": self.ours.allocated,
            "num_alloc_retries": self.before["num_alloc_retries"] + self.ours.retries,
            "num_ooms": self.before["num_ooms"] + self.refused,
        }
        return all(stats[name] == number for name, number in counters.items())

    def step(self, number: int, what: str) -> bool:
        """One letter of a program; whether the two answer alike."""
        if what in REQUESTS:
            return self.allocate(f"{number}{what}", REQUESTS[what])
        if what == "-":
            self.empty_cache()
        elif self.live:
            self.free(int(what) * len(self.live) // 10)
        return True


def run(program: str, both: Both) -> bool:
    """Whether the two agree after each step, and their counters at the end."""
    try:
        alike = all(both.step(number, what) and both.same() for number, what in enumerate(program))
        return alike and both.counted_alike()
    finally:
        both.live.clear()


@counted(programs, planted="first fit: tr01ri", minimum=200, build="dry")
def simulator_is_the_allocator(program: str) -> bool:
    """After each step the model has the real allocator's segments, blocks, tensors in them, and counters."""
    name, _, letters = program.rpartition(": ")
    return run(letters, Both(Allocator(LIMIT, first_fit) if name == "first fit" else Allocator(LIMIT)))


class UnmergedBefore(Allocator):
    def free(self, block: Block) -> None:
        block.owner = None
        self.cached.append(block)
        if block.after and block.after.owner is None:
            self.cached.remove(block.after)
            self.join(block, block.after)


class UnmergedBehind(Allocator):
    def free(self, block: Block) -> None:
        block.owner = None
        if block.before and block.before.owner is None:
            self.join(block.before, block)
        else:
            self.cached.append(block)


class CutsAnyRest(Allocator):
    def is_cut(self, block: Block, size: int) -> bool:
        return block.size - size >= 512


class CutsOneMiB(Allocator):
    def is_cut(self, block: Block, size: int) -> bool:
        return block.size - size >= (512 if block.small else 1 * MiB)


class CutsNothing(Allocator):
    def is_cut(self, block: Block, size: int) -> bool:
        return False


class NoRetry(Allocator):
    def ask_again(self, size: int) -> Block | None:
        self.retries += 1
        return None


class GivesBackOne(Allocator):
    def empty_cache(self) -> None:
        for block in [block for block in self.cached if not block.split][:1]:
            self.give_back(block)


class OnePool(Allocator):
    def find(self, size: int) -> Block | None:
        room = [block for block in self.cached if block.size >= size]
        if room:
            self.cached.remove(min(room, key=self.order))
        return min(room, key=self.order, default=None)


def newest_of_equals(block: Block) -> tuple[int, ...]:
    return block.size, -block.segment, block.start


def last_of_equals(block: Block) -> tuple[int, ...]:
    return block.size, block.segment, -block.start


def largest(block: Block) -> tuple[int, ...]:
    return -block.size, block.segment, block.start


#: The simulator with one rule changed.
CHANGED: dict[str, Callable[[], Allocator]] = {
    "the first block with room": lambda: Allocator(LIMIT, first_fit),
    "the largest block": lambda: Allocator(LIMIT, largest),
    "of equal blocks that of the newest segment": lambda: Allocator(LIMIT, newest_of_equals),
    "of equal blocks the one with the highest address": lambda: Allocator(LIMIT, last_of_equals),
    "one pool for all": lambda: OnePool(LIMIT),
    "a block is not merged with the one before": lambda: UnmergedBefore(LIMIT),
    "a block is not merged with the one behind": lambda: UnmergedBehind(LIMIT),
    "any rest is cut off": lambda: CutsAnyRest(LIMIT),
    "a rest of 1 MiB is cut off": lambda: CutsOneMiB(LIMIT),
    "nothing is cut off": lambda: CutsNothing(LIMIT),
    "the driver is not asked again": lambda: NoRetry(LIMIT),
    "one segment is given back": lambda: GivesBackOne(LIMIT),
}


@counted(lambda: CHANGED, planted=lambda: lambda: Allocator(LIMIT), minimum=10, build="dry")
def each_rule_is_needed(changed: Callable[[], Allocator]) -> bool:
    """With this rule in the place of its own the model differs from the real allocator in a program."""
    return not all(run(program, Both(changed())) for program in programs().values())


@counted(fewer_programs, planted="without: t0r--t", minimum=100, build="dry")
def exercise_is_the_setting(program: str) -> bool:
    """With `max_split_size_mb:30` the exercise's solution agrees with the real allocator after each step."""
    name, _, letters = program.rpartition(": ")
    ours = Allocator(LIMIT) if name == "without" else WithMaxSplit(LIMIT, max_split=30 * MiB)
    return run(letters, Both(ours, "max_split_size_mb:30"))


def sizes() -> dict[str, int]:
    """Small ones, and those around the multiples of 512 bytes and of 1 MiB that matter."""
    near = {1, 511, 512, 513, 1024, *range(5_000, 1 * MiB, 50_021)}
    for edge in (1, 2, 3, 5, 9, 10, 11, 12, 13, 19, 20, 21, 50, 100, 1200):
        near |= {edge * MiB + more for more in (-513, -512, -1, 0, 1, 512, 513)}
    return {str(size): size for size in sorted(near)}


@counted(sizes, planted=lambda: -MiB, minimum=100, build="dry")
def sizes_as_told(size: int) -> bool:
    """A first request takes a block and a segment of the sizes that the model says."""
    both = Both(Allocator(2000 * MiB))
    tensor = torch.empty(abs(size), dtype=torch.uint8, device="cuda")
    taken = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    del tensor
    both.ours.malloc(size)
    return taken == (both.ours.allocated, both.ours.reserved)


class Watched(Allocator):
    """The model, which counts what it refuses."""

    refused = 0

    def ask_again(self, size: int) -> Block | None:
        block = super().ask_again(size)
        self.refused += block is None
        return block


def refuses(program: str) -> bool:
    """Whether the model refuses a request of this program."""
    ours, live = Watched(LIMIT), list[Block]()
    for what in program:
        if what in REQUESTS:
            with suppress(OutOfMemory):
                live.append(ours.malloc(REQUESTS[what]))
        elif what == "-":
            ours.empty_cache()
        elif live:
            ours.free(live.pop(int(what) * len(live) // 10))
    return ours.refused > 0


def refusing() -> list[str]:
    """Programs in which something is refused."""
    return [program for program in programs().values() if refuses(program)]


@counted(refusing, planted="a", minimum=100, build="dry")
def what_is_left_is_split(program: str) -> bool:
    """When a request is refused, each segment left is in use, and what no tensor has is in split ones."""
    both = Both(Allocator(LIMIT))
    found = list[bool]()
    try:
        for number, what in enumerate(program):
            refused = both.refused
            both.step(number, what)
            if both.refused > refused:
                in_use = [any(name for _, name in blocks) for blocks in real_segments(both.names)]
                stats = torch.cuda.memory_stats()
                unused = stats["reserved_bytes.all.current"] - stats["allocated_bytes.all.current"]
                found.append(all(in_use) and unused == stats["inactive_split_bytes.all.current"])
    finally:
        both.live.clear()
    return bool(found) and all(found)
