"""Write SGD with momentum, so that everything that works with an optimizer works with yours."""

from collections.abc import Callable

import torch


class Momentum(torch.optim.Optimizer):
    """`buffer = momentum * buffer + grad`, then `param -= lr * buffer`; the first buffer is the gradient."""

    def __init__(self, params, lr: float = 0.1, momentum: float = 0.9) -> None:
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure: Callable[[], torch.Tensor] | None = None) -> torch.Tensor | None:
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[parameter]
                if "buffer" in state:
                    state["buffer"].mul_(group["momentum"]).add_(parameter.grad)
                else:
                    state["buffer"] = parameter.grad.clone()
                parameter.add_(state["buffer"], alpha=-group["lr"])
        return loss
