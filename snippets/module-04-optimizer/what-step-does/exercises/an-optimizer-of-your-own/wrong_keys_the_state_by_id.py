"""Keys the state by `id`, so what is loaded from a file belongs to no parameter that was made since."""

import torch


class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum})

    @torch.no_grad()
    def step(self, closure=None):
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is None:
                    continue
                state = self.state[id(parameter)]
                if "buffer" in state:
                    state["buffer"].mul_(group["momentum"]).add_(parameter.grad)
                else:
                    state["buffer"] = parameter.grad.clone()
                parameter.add_(state["buffer"], alpha=-group["lr"])
        return loss
