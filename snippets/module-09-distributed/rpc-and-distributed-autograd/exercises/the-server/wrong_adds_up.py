"""Makes the step with the sum of the gradients, so that more trainers make longer steps."""

import solution
from solution import *  # noqa: F403
from torch.futures import Future


class Server(solution.Server):
    def push(self, grad):
        with self.lock:
            answer = self.answer
            self.pushed.append(grad)
            if len(self.pushed) == self.trainers:
                self.weight = self.weight - self.rate * sum(self.pushed)
                self.pushed, self.answer = [], Future()
                answer.set_result(self.weight)
        return answer
