"""Makes a step for each gradient that comes, and waits for nobody."""

import solution
from solution import *  # noqa: F403
from torch.futures import Future


class Server(solution.Server):
    def push(self, grad):
        answer = Future()
        with self.lock:
            self.weight = self.weight - self.rate * grad / self.trainers
            answer.set_result(self.weight)
        return answer
