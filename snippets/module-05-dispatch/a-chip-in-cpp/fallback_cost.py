"""What the way over the CPU costs: an addition by the chip's own kernel, and one by the fallback."""

import sys
from pathlib import Path
from statistics import median
from timeit import repeat

import torch

sys.path.insert(0, str(Path(__file__).with_name("abacus")))
import abacus


def measure() -> dict[str, float]:
    """Times of one operation on 1024 floats, as ratios; copies and commands of one, as counts."""
    a = torch.rand(1024, device="abacus")

    def seconds(operation) -> float:
        operation()
        return median(repeat(operation, number=300, repeat=9))

    def commands(operation) -> int:
        before = abacus.commands()
        operation()
        return abacus.commands() - before

    own, fallback = seconds(lambda: a + a), seconds(lambda: a - a)
    return {
        "fallback_over_own": fallback / own,
        "own_commands": commands(lambda: a + a),
        "fallback_commands": commands(lambda: a - a),
    }


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:18s} {value:.1f}")
