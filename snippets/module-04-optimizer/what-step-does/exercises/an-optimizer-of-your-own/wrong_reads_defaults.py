"""Reads the numbers that the constructor was given, so that a group's own are not used."""

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
                state = self.state[parameter]
                if "buffer" in state:
                    state["buffer"].mul_(self.defaults["momentum"]).add_(parameter.grad)
                else:
                    state["buffer"] = parameter.grad.clone()
                parameter.add_(state["buffer"], alpha=-self.defaults["lr"])
        return loss
