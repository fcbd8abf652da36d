"""Puts the mark where the use is recorded, and not where the block is freed."""

from collections import deque

import solution
from solution import *  # noqa: F403


class Allocator(solution.Allocator):
    def __init__(self):
        super().__init__()
        self.early = []

    def record_stream(self, block, queue):
        if queue is not block.queue:
            self.early.append((queue, queue.record(), block))

    def free(self, block):
        own = [entry for entry in self.early if entry[2] is block]
        self.early = [entry for entry in self.early if entry[2] is not block]
        for queue, mark, _ in own:
            self.lines.setdefault(queue, deque()).append((mark, block))
        block.marks = len(own)
        if not own:
            self.free_blocks.append(block)
