"""Operands that are made up, the same ones on each run."""

import math
import random
from typing import NamedTuple

import torch


# region operand
class Operand(NamedTuple):
    """A tensor: its sizes, its dimensions from the outermost in memory on, their steps, and its type."""

    sizes: tuple[int, ...]
    order: tuple[int, ...]
    steps: tuple[int, ...]
    dtype: str = "float32"

    def __str__(self) -> str:
        return f"{self.sizes} {self.order} {self.steps} {self.dtype}"

    def made(self) -> torch.Tensor:
        memory = [self.sizes[dim] * self.steps[dim] for dim in self.order]
        numbers = torch.arange(math.prod(memory), device="cpu").to(getattr(torch, self.dtype)).reshape(memory)
        dims = range(len(self.sizes))
        return numbers.permute([self.order.index(dim) for dim in dims])[
            tuple(slice(None, None, step) for step in self.steps)
        ]


def operand(
    shape: list[int], choose: random.Random, gaps: bool = True, dtypes: tuple = ("float32",)
) -> Operand:
    """One that stretches to the shape, with its dimensions in any order, and perhaps with gaps."""
    sizes = [1 if choose.random() < 0.25 else size for size in shape[choose.choice([0, 0, 0, 1, 2]) :]]
    dims = range(len(sizes))
    order = choose.sample(dims, len(sizes)) if choose.random() < 0.5 else dims
    steps = (choose.choice([1, 1, 1, 1, 2]) if gaps else 1 for _ in dims)
    return Operand(tuple(sizes), tuple(order), tuple(steps), choose.choice(dtypes))


def shape(choose: random.Random) -> list[int]:
    """Up to four dimensions, now and then an empty one."""
    return [choose.choice([1, 2, 3, 4, choose.choice([0, 5])]) for _ in range(choose.randrange(5))]


# endregion
