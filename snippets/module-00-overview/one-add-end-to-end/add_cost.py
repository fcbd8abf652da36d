"""What the way of `a + b` costs: three elements against many, and against ways that leave a station out."""

from timeit import repeat

import torch

CALLS = 300  # in one timing
REPEATS = 3  # timings of a way in a round, of which the shortest counts
ROUNDS = 100  # in each, all ways are timed in turn
LARGE, SMALL = 32_768, 16_384  # elements: both fit a cache, and neither is split among threads


def measure():
    """A time, and ratios of times: for each way the shortest of all rounds, in which the ways take turns."""
    torch.set_num_threads(1)
    a, b, out = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([10.0, 20.0, 30.0]), torch.empty(3)
    names = {"torch": torch, "a": a, "b": b, "out": out, "leaf": a.clone().requires_grad_()}
    for size, count in (("large", LARGE), ("small", SMALL)):
        names[size], names[f"{size}_out"] = torch.ones(count), torch.empty(count)
    with torch.inference_mode():
        names["c"], names["d"] = a.clone(), b.clone()
    ways = {
        "plain": "a + b",
        "function": "torch.add(a, b)",
        "out": "torch.add(a, b, out=out)",
        "recorded": "leaf + b",
        "in_place": "out.add_(b)",
        "ops": "torch.ops.aten.add.Tensor(a, b)",
        "number": "a + 2",
        "inference": "c + d",
        "large": "torch.add(large, large, out=large_out)",
        "small": "torch.add(small, small, out=small_out)",
    }
    times = dict.fromkeys(ways, float("inf"))
    for _ in range(ROUNDS):
        for way, expression in ways.items():
            with torch.inference_mode(way == "inference"):
                found = min(repeat(expression, globals=names, number=CALLS, repeat=REPEATS)) / CALLS
            times[way] = min(times[way], found)
    plain, element = times["plain"], (times["large"] - times["small"]) / (LARGE - SMALL)
    compared = ("function", "out", "recorded", "in_place", "ops", "number", "inference")
    ratios = {f"{way}_over_operator": round(times[way] / plain, 2) for way in compared}
    # From one run to the next these change by a third.
    counts = {"elements": round(plain / element, -3), "way_over_loop": round(plain / (3 * element), -3)}
    return {"microseconds": round(plain * 1e6, 2), **ratios, **counts}


if __name__ == "__main__":
    ratios = measure()
    print("the way takes most of the time:", ratios["way_over_loop"] > 10)
    print("a number costs more than a tensor:", ratios["number_over_operator"] > 1)
