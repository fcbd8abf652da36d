"""The CNN's training on another machine: eager over compiled, with the layout's option and without it."""

import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).parent))
import speeds

WAYS = {name: (speeds.TRAINING | speeds.LAYOUT)[name] for name in ("eager", "compile", "compile_no_layout")}


def measure():
    """The same ratios as the table's, on one thread, from more rounds."""
    torch.set_num_threads(1)
    speeds.ROUNDS = 31
    model, x = speeds.cnn()
    return speeds.ratios({name: speeds.training_call(way, model, x) for name, way in WAYS.items()})


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name:20} {value:5.2f}")
