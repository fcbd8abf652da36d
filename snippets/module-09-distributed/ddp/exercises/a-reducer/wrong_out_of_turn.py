"""A bucket is sent as soon as it is full, whether or not it is its turn."""

import solution
from solution import assign  # noqa: F401
from torch.autograd import Variable


class Reducer(solution.Reducer):
    def ready(self, index: int) -> None:
        if not self.expected:
            return
        if not self.rebuilt:
            self.arrived.append(index)
        self.missing.discard(index)
        bucket = next(bucket for bucket in self.buckets if index in bucket)
        if self.missing.isdisjoint(bucket):
            self.send(bucket)
            self.turn += 1
        if self.turn == len(self.buckets):
            Variable._execution_engine.queue_callback(self.finish)
