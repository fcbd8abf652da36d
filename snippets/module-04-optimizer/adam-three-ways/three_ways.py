"""How long a step by foreach and by fused takes over one by the loop, for several counts and sizes."""

import time

import torch
from torch import nn

WAYS = {"loop": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}

# region sizes
#: How many parameters, and of how many elements; how many steps are timed at once.
SIZES = {
    "many_small": (1000, 10, 3),
    "some": (100, 1000, 20),
    "few_large": (10, 100_000, 10),
    "one": (1, 1_000_000, 10),
}
# endregion


# region time
def stepper(count: int, size: int, way: dict) -> torch.optim.Optimizer:
    weights = [nn.Parameter(torch.zeros(size)) for _ in range(count)]
    for weight in weights:
        weight.grad = torch.randn(size)
    optimizer = torch.optim.Adam(weights, **way)
    optimizer.step()
    return optimizer


def seconds(optimizer: torch.optim.Optimizer, steps: int) -> float:
    start = time.perf_counter()
    for _ in range(steps):
        optimizer.step()
    return time.perf_counter() - start


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    found = {}
    for name, (count, size, steps) in SIZES.items():
        optimizers = {way: stepper(count, size, options) for way, options in WAYS.items()}
        # Interleaved, and the least of many, so that what else the machine does falls on all alike.
        rounds = [{way: seconds(each, steps) for way, each in optimizers.items()} for _ in range(15)]
        least = {way: min(times[way] for times in rounds) for way in WAYS}
        found |= {f"{way}_{name}": least[way] / least["loop"] for way in ("foreach", "fused")}
    values = torch.rand(100_000)
    found["wrong_roots"] = int((values.sqrt() != values.double().sqrt().float()).sum())
    return found


# endregion


if __name__ == "__main__":
    print(measure())
