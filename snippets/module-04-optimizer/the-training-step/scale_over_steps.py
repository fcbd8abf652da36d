"""The scale of a scaler whose gradients overflow in float16 from a certain scale on."""

import torch
from torch import nn


# region steps
def main() -> None:
    weight = nn.Parameter(torch.ones(8))
    optimizer = torch.optim.SGD([weight], lr=1e-3)
    scaler = torch.amp.GradScaler(weight.device.type, init_scale=2.0**10, growth_interval=4)
    print("step  the scale  overflows above")
    for step in range(48):
        optimizer.zero_grad()
        factor = 96.0 if 24 <= step < 36 else 3.0
        (scaler.scale(weight.half().float() * factor)).sum().backward()  # half: its gradient is float16
        scaler.step(optimizer)
        limit = torch.finfo(torch.float16).max / factor
        print(f"{step:4}  {scaler.get_scale():9.0f}  {limit:15.0f}")
        scaler.update()


# endregion

if __name__ == "__main__":
    main()
