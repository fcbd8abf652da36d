"""Teach the simulator `max_split_size_mb`.

Blocks and requests of `max_split` bytes or more are large. A large block is not given to a request
that is not large. A large request takes a large block as it is, and only one that is less than 20 MiB larger
than the request. What is not large is cut up as before.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))
from simulator import Allocator, Block, MiB, best_fit


@dataclass
class WithMaxSplit(Allocator):
    """An allocator that does not cut up large blocks: those of ``max_split`` bytes or more."""

    max_split: int = 200 * MiB

    def find(self, size: int) -> Block | None:
        """A cached block. `super().find(size)` takes the smallest with room out of the cache."""
        raise NotImplementedError

    def is_cut(self, block: Block, size: int) -> bool:
        """Whether what is left over of the block becomes one of its own."""
        raise NotImplementedError

    # What follows is the allocator's own last resort under this setting, and is as it should be.

    def ask_again(self, size: int) -> Block | None:
        if self.make_room(size) and (block := self.ask_driver(size)):
            return block
        return super().ask_again(size)

    def make_room(self, size: int) -> bool:
        """Give large blocks back, as few as will do; whether it was enough."""
        pool = [block for block in self.cached if block.small == (size <= 1 * MiB)]
        wanted = max(size, self.max_split)
        fitting = [block for block in pool if block.size >= wanted]
        if fitting:
            self.give_back(min(fitting, key=best_fit))
            return True
        given = 0
        for block in sorted(pool, key=best_fit, reverse=True):
            if given >= wanted or block.size < self.max_split:
                break
            given += block.size
            self.give_back(block)
        return given >= wanted
