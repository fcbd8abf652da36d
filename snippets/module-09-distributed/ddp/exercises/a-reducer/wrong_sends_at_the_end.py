"""All buckets are sent in turn, but not before the last gradient has come."""

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
        if not self.missing:
            for bucket in self.buckets:
                self.send(bucket)
            Variable._execution_engine.queue_callback(self.finish)
