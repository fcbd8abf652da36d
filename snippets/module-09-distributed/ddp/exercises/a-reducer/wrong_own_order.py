"""Each rank takes the order of its own gradients, though all have to send the same buckets."""

import solution
from solution import assign


class Reducer(solution.Reducer):
    def rebuild(self) -> None:
        sizes = [parameter.nbytes for parameter in self.parameters]
        self.buckets = assign(self.arrived, sizes, self.caps)
