"""Two chunks, one update, in seven orders: how far each number moves, and which norm is logged."""

import torch
from torch import nn

# region orders
ORDERS = (
    "backward backward unscale clip step",
    "backward backward clip step",
    "backward backward clip unscale step",
    "backward clip backward clip step",
    "backward unscale clip backward step",
    "backward unscale backward clip step",
    "backward backward unscale step clip",
)


def one_update(order: str) -> tuple[float, float, float]:
    """How far each number of the weight goes at a rate of 1, and the last norm that the clipping returned."""
    chunks = iter((0, 1))
    weight = nn.Parameter(torch.tensor([3.0, 4.0]))
    optimizer = torch.optim.SGD([weight], lr=1.0)
    scaler = torch.amp.GradScaler(weight.device.type)
    before = weight.detach().clone()
    for call in order.split():
        match call:
            case "backward":
                scaler.scale(
                    weight[next(chunks)] ** 2 / 2
                ).backward()  # of one number; its gradient is the number
            case "unscale":
                scaler.unscale_(optimizer)
            case "clip":
                norm = nn.utils.clip_grad_norm_([weight], max_norm=1.0)
            case "step":
                scaler.step(optimizer)
    scaler.update()
    return *(before - weight.detach()).tolist(), norm.item()


# endregion


def main() -> None:
    print(f"{'order':37}{'first':>10}{'second':>10}{'norm':>10}")
    for order in ORDERS:
        first, second, norm = one_update(order)
        print(f"{order:37}{first:10.3g}{second:10.3g}{norm:10.1f}")


if __name__ == "__main__":
    main()
