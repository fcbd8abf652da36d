"""A parameter server for trainers that go in step. `push` is yours.

A trainer pushes the gradient of its part of the batch, and gets a future. When all trainers have pushed, the
server makes a step of plain gradient descent with the mean of the gradients, and all of that round's futures
give the new weights. Then the next round begins.
"""

import threading

from torch.futures import Future


class Server:
    def __init__(self, weight, trainers, rate):
        self.weight, self.trainers, self.rate = weight, trainers, rate
        self.lock = threading.Lock()  # a push may come on any of the agent's threads
        self.pushed = []  # the gradients of this round
        self.answer = Future()  # what the trainers of this round wait for

    def pull(self):
        return self.weight

    def push(self, grad) -> Future:
        raise NotImplementedError
