"""Changes the weights in place, so that those who have been given them see them change."""

import solution
from solution import *  # noqa: F403
from torch.futures import Future


class Server(solution.Server):
    def push(self, grad):
        with self.lock:
            answer = self.answer
            self.pushed.append(grad)
            if len(self.pushed) == self.trainers:
                self.weight -= self.rate * sum(self.pushed) / self.trainers
                self.pushed, self.answer = [], Future()
                answer.set_result(self.weight)
        return answer
