"""A layer is trained on the abacus and on the CPU, from the same start, and the two are compared."""

import time

import abacus
import torch


# region train
def train(device: str) -> list[float]:
    torch.manual_seed(0)
    model = torch.nn.Linear(4, 2, device="cpu").to(device)
    x = torch.linspace(-1, 1, 32, device="cpu").reshape(8, 4).to(device)
    target = x[:, :2] * 2 + 1
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)  # a power of two: products with it are exact
    losses = []
    for _ in range(5):
        loss = torch.nn.functional.mse_loss(model(x), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


# endregion


if __name__ == "__main__":
    print(torch.accelerator.current_accelerator(), torch.accelerator.device_count())
    a = torch.tensor([1.0, 2.0, 3.0], device="abacus", requires_grad=True)
    b = torch.tensor([10.0, 20.0, 30.0], device="abacus:0")
    print(a + b)

    abacus.fallbacks()
    on_the_chip = train("abacus")
    print([round(loss, 4) for loss in on_the_chip], on_the_chip == train("cpu"))
    for operator, count in abacus.fallbacks().items():
        print(f"{count:4d} {operator}")
    # The engine's thread for the chip lets go of its last task with the GIL, which must be there.
    time.sleep(0.5)
