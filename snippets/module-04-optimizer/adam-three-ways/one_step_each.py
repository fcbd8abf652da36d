"""The second step of one weight, in each of the three ways."""

import torch
from torch import nn

# region path
WAYS = {"loop": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}
weights = {name: nn.Parameter(torch.ones(64)) for name in WAYS}
optimizers = {name: torch.optim.Adam([weights[name]], lr=0.1, **way) for name, way in WAYS.items()}
for name, optimizer in optimizers.items():
    weights[name].grad = torch.ones(64)
    optimizer.step()


def path() -> None:
    for optimizer in optimizers.values():
        optimizer.step()


# endregion


if __name__ == "__main__":
    path()
    print({name: round(weight[0].item(), 4) for name, weight in weights.items()})
