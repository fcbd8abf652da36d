"""How many bytes of gradients there are while a backward goes through a stack of layers."""

import torch
from torch import nn


# region alive
def alive(stepped_at_once: bool) -> list[int]:
    """KiB of gradients after each weight has its own, from the last layer to the first."""
    model = nn.Sequential(*(nn.Linear(64, 64, bias=False) for _ in range(12)))
    optimizers = {weight: torch.optim.SGD([weight], lr=0.1) for weight in model.parameters()}
    seen = []

    def reached(weight: nn.Parameter) -> None:
        seen.append(sum(other.grad.nbytes for other in optimizers if other.grad is not None) // 1024)
        if stepped_at_once:
            optimizers[weight].step()
            optimizers[weight].zero_grad()

    for weight in optimizers:
        weight.register_post_accumulate_grad_hook(reached)
    model(torch.ones(2, 64)).sum().backward()
    return seen


# endregion


def main() -> None:
    print("weights reached  kept for one step  stepped in backward")
    for number, (kept, stepped) in enumerate(zip(alive(False), alive(True), strict=True), 1):
        print(f"{number:15}  {kept:17}  {stepped:19}")


if __name__ == "__main__":
    main()
