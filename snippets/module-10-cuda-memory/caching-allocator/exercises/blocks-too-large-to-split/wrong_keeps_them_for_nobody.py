"""No large block is given to anybody, not even to a large request."""

import solution
from simulator import Block


class WithMaxSplit(solution.WithMaxSplit):
    def find(self, size: int) -> Block | None:
        block = super().find(size)
        if block and block.size >= self.max_split:
            self.cached.append(block)
            return None
        return block
