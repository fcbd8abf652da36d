"""A large request cuts a large block up, since the rule for the rest is still the old one."""

import solution
from simulator import Allocator, Block


class WithMaxSplit(solution.WithMaxSplit):
    def is_cut(self, block: Block, size: int) -> bool:
        return Allocator.is_cut(self, block, size)
