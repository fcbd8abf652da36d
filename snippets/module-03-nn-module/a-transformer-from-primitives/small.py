"""What the roofline does not bound: tensors that lie in a cache, and a block as narrow as the decoder's."""

from collections.abc import Callable

import torch
from costs import cost, layers
from roofline import CALLS, ROOF, best, roof

SIZE = 1 << 16  # three tensors of 262 KB
WIDTH, HEADS, LENGTH = 64, 4, 48  # as in train.py
TIMES = 100
LINEAR = "qkv", "out", "up", "down"


def repeated(call: Callable[[], object]) -> Callable[[], None]:
    def calls() -> None:
        for _ in range(TIMES):
            call()

    return calls


def measure() -> dict[str, float]:
    torch.set_num_threads(1)
    x, y, out = (torch.zeros(SIZE) for _ in range(3))
    tiny, token = torch.nn.Linear(8, 8), torch.zeros(1, 1, 8)
    calls = {"addition": lambda: torch.add(x, y, out=out), "tiny": lambda: tiny(token)}
    phases = {phase: layers(WIDTH, HEADS, new, LENGTH) for phase, new in (("whole", LENGTH), ("one", 1))}
    for phase, parts in phases.items():
        calls |= {f"{phase} {name}": call for name, call in parts.items()}
    with torch.no_grad():
        roofs = {f"roof {name}": call for name, call in ROOF.items()}
        times = best(roofs | {name: repeated(call) for name, call in calls.items()})
    peak, bandwidth = roof(times)
    values = {"faster": TIMES * 3 * 4 * SIZE / bandwidth / times["addition"]}
    together = {}
    for phase, parts in phases.items():
        costs = {name: cost(call) for name, call in parts.items()}
        taken = {name: times[f"{phase} {name}"] / TIMES for name in parts}
        bounds = {name: max(costs[name][0] / peak, costs[name][1] / bandwidth) for name in LINEAR}
        together[phase] = sum(CALLS.get(name, 1) * taken[name] for name in parts)
        linear = sum(taken[name] for name in LINEAR)
        values[f"{phase}_linear_time"] = 100 * linear / together[phase]
        values[f"{phase}_linear_roof"] = 100 * sum(bounds.values()) / linear
    values["ratio"] = together["whole"] / together["one"]
    values["tiny"] = 100 * times["tiny"] / times["one out"]
    return {name: round(value, 1) for name, value in values.items()}


if __name__ == "__main__":
    print(measure())
