"""A parameter server for trainers that go in step."""

import threading

from torch.futures import Future


class Server:
    def __init__(self, weight, trainers, rate):
        self.weight, self.trainers, self.rate = weight, trainers, rate
        self.lock = threading.Lock()
        self.pushed = []
        self.answer = Future()

    def pull(self):
        return self.weight

    def push(self, grad) -> Future:
        with self.lock:
            answer = self.answer
            self.pushed.append(grad)
            if len(self.pushed) == self.trainers:
                # a new tensor: the old one may be on its way to a trainer
                self.weight = self.weight - self.rate * sum(self.pushed) / self.trainers
                self.pushed, self.answer = [], Future()
                answer.set_result(self.weight)
        return answer
