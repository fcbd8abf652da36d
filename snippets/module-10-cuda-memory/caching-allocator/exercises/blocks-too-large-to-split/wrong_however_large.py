"""A large request takes a large block, however much larger it is."""

import solution
from simulator import Allocator, Block


class WithMaxSplit(solution.WithMaxSplit):
    def find(self, size: int) -> Block | None:
        block = Allocator.find(self, size)
        if block and size < self.max_split <= block.size:
            self.cached.append(block)
            return None
        return block
