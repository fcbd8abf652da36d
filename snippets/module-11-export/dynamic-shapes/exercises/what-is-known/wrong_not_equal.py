"""Cuts the interval at a size that is excluded: since 6 is not 9, it is less than 9."""

import math

from solution import ASK, OTHERWISE

Question = tuple[str, int]


def known(sample: int, questions: list[Question]) -> tuple[int, float]:
    """The smallest and the greatest size of the range, `math.inf` where there is none."""
    low, high = 2, math.inf
    for sign, number in questions:
        true = sign if ASK[sign](sample, number) else OTHERWISE[sign]
        if true == "!=":
            true = "<" if sample < number else ">"
        if true in (">", ">=", "=="):
            low = max(low, number + (true == ">"))
        if true in ("<", "<=", "=="):
            high = min(high, number - (true == "<"))
    return low, high
