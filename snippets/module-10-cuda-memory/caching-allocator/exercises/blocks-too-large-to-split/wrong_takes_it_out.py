"""A block that is not taken does not go back into the cache."""

import solution
from simulator import Allocator, Block, MiB


class WithMaxSplit(solution.WithMaxSplit):
    def find(self, size: int) -> Block | None:
        block = Allocator.find(self, size)
        most = self.max_split if size < self.max_split else size + 20 * MiB
        return block if block and block.size < most else None
