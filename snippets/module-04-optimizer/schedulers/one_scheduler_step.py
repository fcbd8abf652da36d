"""One step of StepLR, on a learning rate that is a tensor."""

import torch
from torch import nn

# region path
rate = torch.tensor(0.5)
optimizer = torch.optim.SGD([nn.Parameter(torch.ones(2))], lr=rate, foreach=False)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.5)
optimizer.step()


def path() -> None:
    scheduler.step()


# endregion


if __name__ == "__main__":
    path()
    print(optimizer.param_groups[0]["lr"] is rate, rate.item(), scheduler.get_last_lr()[0] is rate)
