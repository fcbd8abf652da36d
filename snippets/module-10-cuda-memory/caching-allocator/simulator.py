"""A model of the caching allocator: one device, one stream, the settings as they are by default.

Addresses are counted within a segment: where the driver puts a segment is not the allocator's doing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

MiB = 1 << 20


# region sizes
def rounded(request: int) -> int:
    """The bytes of a block for a request of so many bytes."""
    return max(512, -(-request // 512) * 512)


def is_small(size: int) -> bool:
    """Which of the two pools a block belongs to."""
    return size <= 1 * MiB


def segment_size(size: int) -> int:
    """What the driver is asked for, where no cached block has room for a block of so many bytes."""
    if is_small(size):
        return 2 * MiB
    if size < 10 * MiB:
        return 20 * MiB
    return -(-size // (2 * MiB)) * 2 * MiB


# endregion


# region blocks
@dataclass(eq=False)
class Block:
    """A piece of a segment. ``owner`` is what it was given to, or None while it is cached."""

    segment: int  # its number: they are counted as they come
    start: int  # within the segment
    size: int
    small: bool
    owner: object = None
    before: Block | None = None
    after: Block | None = None

    @property
    def split(self) -> bool:
        """Whether it is less than its segment."""
        return self.before is not None or self.after is not None


class OutOfMemory(Exception):
    """The device has no room for a segment."""


Order = Callable[[Block], tuple[int, ...]]


def best_fit(block: Block) -> tuple[int, ...]:
    """The smallest of those with room; of equals, that of the oldest segment."""
    return block.size, block.segment, block.start


def first_fit(block: Block) -> tuple[int, ...]:
    """The first of those with room, whatever its size."""
    return block.segment, block.start


# endregion


@dataclass
class Allocator:
    """The allocator of a device with ``limit`` bytes; ``order`` says which of the cached blocks is taken."""

    limit: int
    order: Order = best_fit
    cached: list[Block] = field(default_factory=list)
    segments: dict[int, Block] = field(default_factory=dict)  # the first block of each
    reserved: int = 0
    asked: int = 0  # how often the driver gave a segment
    retries: int = 0

    # region malloc
    def malloc(self, request: int, owner: object = "a tensor") -> Block:
        """A block for a request of so many bytes."""
        size = rounded(request)
        block = self.find(size) or self.ask_driver(size) or self.ask_again(size)
        if block is None:
            raise OutOfMemory(f"Tried to allocate {segment_size(size) / MiB:.2f} MiB")
        if self.is_cut(block, size):
            self.cut(block, size)
        block.owner = owner
        return block

    def find(self, size: int) -> Block | None:
        """A cached block with room, from the pool for this size."""
        room = [block for block in self.cached if block.small == is_small(size) and block.size >= size]
        if not room:
            return None
        block = min(room, key=self.order)
        self.cached.remove(block)
        return block

    def ask_driver(self, size: int) -> Block | None:
        """A segment, if the device has room for it."""
        whole = segment_size(size)
        if self.reserved + whole > self.limit:
            return None
        self.reserved += whole
        self.asked += 1
        block = self.segments[self.asked] = Block(self.asked, 0, whole, is_small(size))
        return block

    def ask_again(self, size: int) -> Block | None:
        """A segment, after everything was given back that can be."""
        self.retries += 1
        self.empty_cache()
        return self.ask_driver(size)

    # endregion

    # region split
    def is_cut(self, block: Block, size: int) -> bool:
        """Whether what is left over becomes a block of its own."""
        rest = block.size - size
        return rest >= 512 if block.small else rest > 1 * MiB

    def cut(self, block: Block, size: int) -> None:
        """Keep the front; the rest is cached."""
        rest = Block(block.segment, block.start + size, block.size - size, block.small)
        rest.before, rest.after = block, block.after
        if block.after:
            block.after.before = rest
        block.after, block.size = rest, size
        self.cached.append(rest)

    # endregion

    # region free
    def free(self, block: Block) -> None:
        """Cache a block, in one piece with the neighbours that are cached."""
        block.owner = None
        if block.before and block.before.owner is None:
            block = self.join(block.before, block)
        else:
            self.cached.append(block)
        if block.after and block.after.owner is None:
            self.cached.remove(block.after)
            self.join(block, block.after)

    def join(self, block: Block, after: Block) -> Block:
        """Two neighbours as one block: the first, grown by the second."""
        block.size += after.size
        block.after = after.after
        if block.after:
            block.after.before = block
        return block

    # endregion

    # region give-back
    def empty_cache(self) -> None:
        """Give back to the driver each segment that is one cached block."""
        for block in [block for block in self.cached if not block.split]:
            self.give_back(block)

    def give_back(self, block: Block) -> None:
        self.cached.remove(block)
        del self.segments[block.segment]
        self.reserved -= block.size

    # endregion

    def snapshot(self) -> list[list[Block]]:
        """The blocks of each segment, in their order."""
        found: list[list[Block]] = []
        for first in self.segments.values():
            found.append([])
            block: Block | None = first
            while block:
                found[-1].append(block)
                block = block.after
        return found

    @property
    def allocated(self) -> int:
        return sum(block.size for blocks in self.snapshot() for block in blocks if block.owner is not None)


def main() -> None:
    """The opening case."""
    allocator = Allocator(limit=2048 * MiB)
    allocator.free(allocator.malloc(1200 * MiB))
    allocator.malloc(20 * MiB)
    try:
        allocator.malloc(1200 * MiB)
    except OutOfMemory as error:
        print(error)
    print("reserved", allocator.reserved // MiB, "allocated", allocator.allocated // MiB)


if __name__ == "__main__":
    main()
