"""Gives a block back when the first of its users has reached the mark."""

import solution
from solution import *  # noqa: F403


class Allocator(solution.Allocator):
    def free(self, block):
        users = len(block.users)
        super().free(block)
        block.marks = min(users, 1)
