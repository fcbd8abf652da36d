"""Two chunks of a batch, scaled, added, unscaled, clipped, and one step."""

import torch
from torch import nn

# region path
weights = [nn.Parameter(torch.ones(64)), nn.Parameter(torch.ones(64))]
optimizer = torch.optim.SGD(weights, lr=0.1)
scaler = torch.amp.GradScaler("cpu")
chunks = torch.ones(2, 64), torch.full((2, 64), 3.0)
reached = []
weights[0].register_post_accumulate_grad_hook(lambda weight: reached.append(weight.grad[0].item()))


def path() -> None:
    for chunk in chunks:
        scaler.scale((chunk * weights[0] * weights[1]).mean() / 2).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(weights, 0.1)
    scaler.step(optimizer)
    scaler.update()


# endregion

if __name__ == "__main__":
    path()
    print("seen by the hook:", reached)
    print("the gradient now:", f"{weights[0].grad[0].item():.4f}")
    print("the scale:", scaler.get_scale())
