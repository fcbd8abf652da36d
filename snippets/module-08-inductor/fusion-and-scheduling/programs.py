"""Programs drawn at random, of sizes for which the scheduler has something to decide."""

import random
import sys
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

sys.path.insert(0, str(Path(__file__).parent))
from scheduled import kept, scheduled

SIDE = 32


def inputs(device: str = "cpu") -> tuple[Tensor, Tensor]:
    """A matrix, and a row of numbers."""
    return torch.ones(SIDE, SIDE, device=device), torch.ones(SIDE, device=device)


# region program
MATRIX = {
    "sin": lambda m: m.sin(),
    "twice": lambda m: m * 2,
    "turned": lambda m: m.t().contiguous(),
    "rolled": lambda m: m.roll(1, 0),
    "picked": lambda m: m[m[:, 0].long()],
    "product": lambda m: m @ m,
    "softmax": lambda m: m.softmax(1),
    "less": lambda m: m - m.mean(1, keepdim=True),
    "kept": lambda m: kept(m.exp()),
}
VECTOR = {
    "row sum": lambda m: m.sum(1),
    "row max": lambda m: m.amax(1),
    "column sum": lambda m: m.sum(0),
    "first": lambda m: m[0] + 1,
}
BOTH = {
    "per column": lambda m, v: m + v,
    "per row": lambda m, v: m * v[:, None],
}


def program(seed: int) -> Callable:
    """A function of a matrix and a vector that makes of each value more values, and returns some."""
    draw = random.Random(seed)
    steps = []
    matrices, vectors = 1, 1
    for _ in range(draw.randint(3, 9)):
        kind = draw.choice("MMMVVBP")
        step = {"M": MATRIX, "V": VECTOR, "B": BOTH, "P": {"sum": Tensor.add}}[kind]
        name = draw.choice(list(step))
        steps.append(
            (kind, step[name], draw.randrange(matrices), draw.randrange(vectors), draw.randrange(matrices))
        )
        matrices, vectors = matrices + (kind != "V"), vectors + (kind == "V")
    returned = [draw.randrange(1, matrices) if matrices > 1 else 0 for _ in range(2)]
    last = draw.randrange(vectors)

    def function(x: Tensor, v: Tensor) -> tuple[Tensor, ...]:
        ms, vs = [x], [v]
        for kind, step, m, v, other in steps:
            if kind == "V":
                vs.append(step(ms[m]))
            elif kind == "B":
                ms.append(step(ms[m], vs[v]))
            elif kind == "P":
                ms.append(step(ms[m], ms[other]))
            else:
                ms.append(step(ms[m]))
        return *(ms[which] for which in returned), vs[last], ms[-1], vs[-1]

    return function


# endregion

if __name__ == "__main__":
    for seed in range(3):
        run = scheduled(program(seed), *inputs())
        print(f"program {seed}:", *("+".join(names) for names in run.after))
