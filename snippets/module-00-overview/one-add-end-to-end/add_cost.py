"""What the way of `a + b` costs: three elements against many, and against ways that leave a station out."""

import statistics
from timeit import repeat

import torch

CALLS = 1_000  # in one timing
REPEATS = 3  # timings of a way in a round, of which the shortest counts
ROUNDS = 15  # in each, all ways are timed in turn
LARGE, SMALL = 32_768, 16_384  # elements: both fit a cache, and neither is split among threads


def measure():
    """One time, and ratios of times, each the median over rounds in which the ways were timed one after the other."""
    torch.set_num_threads(1)
    a, b, out = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([10.0, 20.0, 30.0]), torch.empty(3)
    names = {"torch": torch, "a": a, "b": b, "out": out, "leaf": a.clone().requires_grad_()}
    for size, count in (("large", LARGE), ("small", SMALL)):
        names[size], names[f"{size}_out"] = torch.ones(count), torch.empty(count)
    with torch.inference_mode():
        names["c"], names["d"] = a.clone(), b.clone()

    def seconds(expression):
        return min(repeat(expression, globals=names, number=CALLS, repeat=REPEATS))

    ways = {
        "function_over_operator": "torch.add(a, b)",
        "out_over_operator": "torch.add(a, b, out=out)",
        "recorded_over_operator": "leaf + b",
        "in_place_over_operator": "out.add_(b)",
        "ops_over_operator": "torch.ops.aten.add.Tensor(a, b)",
        "number_over_operator": "a + 2",
    }
    found = {name: [] for name in [*ways, "inference_over_operator", "elements", "way_over_loop"]}
    shortest = float("inf")
    for _ in range(ROUNDS):
        plain = seconds("a + b")
        shortest = min(shortest, plain)
        for name, expression in ways.items():
            found[name].append(seconds(expression) / plain)
        with torch.inference_mode():
            found["inference_over_operator"].append(seconds("c + d") / plain)
        large = seconds("torch.add(large, large, out=large_out)")
        element = (large - seconds("torch.add(small, small, out=small_out)")) / (LARGE - SMALL)
        found["elements"].append(plain / element)
        found["way_over_loop"].append(plain / (3 * element))
    medians = {name: statistics.median(values) for name, values in found.items()}
    medians["microseconds"] = shortest / CALLS * 1e6
    # From one run to the next these change by a third: the counts, and the time.
    return {name: round(value, -3 if value > 1000 else 2) for name, value in medians.items()}


if __name__ == "__main__":
    ratios = measure()
    print("the way takes most of the time:", ratios["way_over_loop"] > 10)
    print("a number costs more than a tensor:", ratios["number_over_operator"] > 1)
