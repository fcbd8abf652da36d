"""The second step of SGD with momentum, hooked, and the `zero_grad` after it."""

import torch
from torch import nn

# region path
weight = nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([weight], lr=0.1, momentum=0.9, foreach=False)
ran = []


def before(optimizer: torch.optim.Optimizer, args: tuple, kwargs: dict) -> None:
    ran.append("before")


def after(optimizer: torch.optim.Optimizer, args: tuple, kwargs: dict) -> None:
    ran.append("after")


optimizer.register_step_pre_hook(before)
optimizer.register_step_post_hook(after)
weight.sum().backward()
optimizer.step()


def path() -> None:
    optimizer.step()
    optimizer.zero_grad()


# endregion


if __name__ == "__main__":
    path()
    print(ran, weight.tolist(), weight.grad)
