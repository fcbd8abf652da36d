"""Keeps a block until its own queue has caught up, as if reuse there needed the work to be done."""

import solution
from solution import *  # noqa: F403


class Allocator(solution.Allocator):
    def free(self, block):
        block.users.add(block.queue)
        super().free(block)
