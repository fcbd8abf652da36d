"""Each layer of a block against the roofline of this machine, for a whole sequence and for one more token."""

from collections.abc import Callable
from time import process_time

import torch
from costs import cost, layers

WIDTH, HEADS, LENGTH = 2048, 16, 256  # the weights are 201 MB, more than this machine's caches hold
ROUNDS = 11
CALLS = {"norm": 2, "add": 2, "by hand": 0}  # how often a block calls what it does not call once


# region roof
def best(calls: dict[str, Callable[[], object]]) -> dict[str, float]:
    """The shortest time of each call, in seconds of the processor, of rounds in which they take turns."""
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = process_time()
            call()
            found[name].append(process_time() - start)
    return {name: min(times) for name, times in found.items()}


SIZE = 1 << 26  # numbers, 268 MB
x, y, out = (torch.zeros(SIZE) for _ in range(3))
square = torch.randn(2048, 2048)
ROOF = {
    "product": lambda: torch.mm(square, square),
    "copy": lambda: out.copy_(x),
    "sum": lambda: x.sum(),
    "add": lambda: torch.add(x, y, out=out),
    "matrix by vector": lambda: torch.mv(x.view(-1, 8192), y[:8192]),
}
DRAWN = {"up": "up", "fused": "attention"}
TENSORS = {"copy": 2, "sum": 1, "add": 3, "matrix by vector": 1}  # read and written


def roof(times: dict[str, float]) -> tuple[float, float]:
    """Operations a second of a large product, and bytes a second of the best of four loops."""
    moved = max(4 * SIZE * count / times[f"roof {name}"] for name, count in TENSORS.items())
    return 2 * 2048**3 / times["roof product"], moved


# endregion


# region measure
def measure() -> dict[str, float]:
    """Per cent of the block's time and of each layer's roof, and how the phases compare."""
    torch.set_num_threads(1)
    values, flops, seconds = {}, {}, {}
    for phase, new in ("whole", LENGTH), ("one", 1), ("eight", 8):
        calls = layers(WIDTH, HEADS, new, LENGTH)
        costs = {name: cost(call) for name, call in calls.items()}
        with torch.no_grad():
            times = best({f"roof {name}": call for name, call in ROOF.items()} | calls)
        peak, bandwidth = roof(times)
        values[f"{phase}_balance"] = peak / bandwidth
        flops[phase] = sum(CALLS.get(name, 1) * costs[name][0] for name in calls)
        seconds[phase] = sum(CALLS.get(name, 1) * times[name] for name in calls)
        for name, (products, moved) in costs.items():
            key = f"{phase}_{name.replace(' ', '_')}"
            values[f"{key}_time"] = 100 * CALLS.get(name, 1) * times[name] / seconds[phase]
            values[f"{key}_roof"] = 100 * max(products / peak, moved / bandwidth) / times[name]
        for name, shown in DRAWN.items():
            point = f"{shown}, {new} token{'s' * (new > 1)}"
            values[f"{point}/FLOP a byte"] = costs[name][0] / costs[name][1]
            values[f"{point}/per cent of the peak"] = 100 * costs[name][0] / times[name] / peak
        values[f"{phase}_fused"] = times["by hand"] / times["fused"]
    balance = values["whole_balance"]
    for number, intensity in enumerate((0.3, balance, 200)):
        values[f"roof/{number}/FLOP a byte"] = intensity
        values[f"roof/{number}/per cent of the peak"] = 100 * min(1, intensity / balance)
    values["flops_ratio"] = flops["whole"] / flops["one"]
    values["time_ratio"] = seconds["whole"] / seconds["one"]
    values["eight_ratio"] = seconds["eight"] / seconds["one"]
    return {name: round(value, 1) for name, value in values.items()}


# endregion


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:20} {value:7}")
