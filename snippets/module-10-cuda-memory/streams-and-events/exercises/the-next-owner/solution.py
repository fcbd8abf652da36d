"""When may a block be used again? The caching allocator's answer, for blocks of one size."""

from collections import deque


class Mark:
    """A place in a queue; an event, once it is recorded."""

    def __init__(self, queue, place):
        self.queue, self.place = queue, place

    def reached(self) -> bool:
        return self.queue.gets_to(self.place)


class Queue:
    """A stream. It does at once what it is asked, unless it is held back or waits for another one."""

    def __init__(self):
        self.asked = self.done = 0
        self.held = False
        self.waits = []

    def record(self) -> Mark:
        self.asked += 1
        return Mark(self, self.asked)

    def wait_queue(self, other) -> None:
        """From here on, after what the other one has been asked so far."""
        if other is not self:
            mark = other.record()
            self.asked += 1
            self.waits.append((self.asked, mark))

    def gets_to(self, place) -> bool:
        if place <= self.done:
            return True
        if self.held or not all(mark.reached() for at, mark in self.waits if at <= place):
            return False
        self.done = place
        return True

    def hold(self) -> None:
        self.gets_to(self.asked)
        self.held = True

    def release(self) -> None:
        self.held = False


class Block:
    """Memory of one size, made for a queue."""

    def __init__(self, queue, number):
        self.queue, self.number = queue, number
        self.users = set()
        self.marks = 0


class Allocator:
    def __init__(self):
        self.made = 0
        self.free_blocks = []
        self.lines = {}  # by queue, its marks with their blocks

    def malloc(self, queue) -> Block:
        """A free block that was made for this queue, of these the one made first, or else a new block.

        Before that, the marks are looked at: in each queue from the oldest on, up to one that is not reached.
        """
        for line in self.lines.values():
            while line and line[0][0].reached():
                _, block = line.popleft()
                block.marks -= 1
                if not block.marks:
                    self.free_blocks.append(block)
        own = [block for block in self.free_blocks if block.queue is queue]
        if not own:
            self.made += 1
            return Block(queue, self.made)
        block = min(own, key=lambda block: block.number)
        self.free_blocks.remove(block)
        return block

    def record_stream(self, block, queue) -> None:
        """Another queue uses the block, too. To record the block's own queue means nothing."""
        if queue is not block.queue:
            block.users.add(queue)

    def free(self, block) -> None:
        """Nobody will use the block any more, once its users have done what they have been asked so far."""
        for queue in block.users:
            self.lines.setdefault(queue, deque()).append((queue.record(), block))
        block.marks = len(block.users)
        block.users = set()
        if not block.marks:
            self.free_blocks.append(block)
