"""Write SGD with momentum, so that everything that works with an optimizer works with yours."""

from collections.abc import Callable

import torch


class Momentum(torch.optim.Optimizer):
    """`buffer = momentum * buffer + grad`, then `param -= lr * buffer`; the first buffer is the gradient."""

    def __init__(self, params, lr: float = 0.1, momentum: float = 0.9) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})

    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        """Take one step, each group by its own numbers; a parameter with no gradient rests.

        It writes into the parameter's memory, and the parameter's version goes up.

        A closure is called once, before anything is read, with recording switched on, and what it returns is
        returned. What a later step needs is in `state_dict()`.
        """
        raise NotImplementedError
