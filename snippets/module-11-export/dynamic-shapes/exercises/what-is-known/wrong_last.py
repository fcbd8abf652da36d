"""Keeps the bound of the last question instead of the tightest one."""

import math

from solution import ASK, OTHERWISE

Question = tuple[str, int]


def known(sample: int, questions: list[Question]) -> tuple[int, float]:
    """The smallest and the greatest size of the range, `math.inf` where there is none."""
    low, high = 2, math.inf
    for sign, number in questions:
        true = sign if ASK[sign](sample, number) else OTHERWISE[sign]
        if true in (">", ">=", "=="):
            low = number + (true == ">")
        if true in ("<", "<=", "=="):
            high = number - (true == "<")
    return low, high
