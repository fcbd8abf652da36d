"""Keeps the buffers in a dictionary of its own, which no state dict holds."""

import torch


class Momentum(torch.optim.Optimizer):
    def __init__(self, params, lr=0.1, momentum=0.9):
        super().__init__(params, {"lr": lr, "momentum": momentum})
        self.buffers = {}

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
                if parameter in self.buffers:
                    self.buffers[parameter].mul_(group["momentum"]).add_(parameter.grad)
                else:
                    self.buffers[parameter] = parameter.grad.clone()
                parameter.add_(self.buffers[parameter], alpha=-group["lr"])
        return loss
