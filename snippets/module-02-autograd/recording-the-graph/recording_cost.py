"""What recording costs: the time of one small multiplication that is recorded, over one that is not."""

import statistics
from timeit import timeit

import torch

CALLS = 2_000  # in one timing
ROUNDS = 15  # timings of each way, taken in turn


def measure():
    """Ratios of times, each the median over rounds in which the ways were timed one after the other."""
    leaf = torch.tensor([2.0, 3.0], requires_grad=True)
    tensors = {"leaf": leaf, "plain": leaf.detach(), "other": torch.tensor([5.0, 7.0])}

    def seconds(expression):
        return timeit(expression, globals=tensors, number=CALLS)

    ratios = {"recorded_over_plain": [], "no_grad_over_plain": []}
    for _ in range(ROUNDS):
        plain = seconds("plain * other")
        ratios["recorded_over_plain"].append(seconds("leaf * other") / plain)
        with torch.no_grad():
            ratios["no_grad_over_plain"].append(seconds("leaf * other") / plain)
    return {name: round(statistics.median(values), 2) for name, values in ratios.items()}


if __name__ == "__main__":
    ratios = measure()
    print("recording takes time:", ratios["recorded_over_plain"] > 1)
    print("no_grad takes less:", ratios["no_grad_over_plain"] < ratios["recorded_over_plain"])
