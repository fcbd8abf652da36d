"""Gives a free block to whichever queue asks."""

import solution
from solution import *  # noqa: F403


class Allocator(solution.Allocator):
    def malloc(self, queue):
        made_for = {block: block.queue for block in self.free_blocks}
        for block in self.free_blocks:
            block.queue = queue
        given = super().malloc(queue)
        for block in self.free_blocks:
            block.queue = made_for.get(block, block.queue)
        return given
